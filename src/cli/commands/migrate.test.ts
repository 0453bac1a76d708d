import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { cli } from '../../../test/fixtures/cli.ts'
import { testFile } from '../../../test/fixtures/stores.ts'

it('[MIG-9] mneme migrate copies one store into another, says how much, and ends with the code of what went wrong', async () => {
  const [one, two, other] = [testFile(), testFile(), testFile()]
  const [from, to] = [`sqlite:${one}`, `sqlite:${two}`]
  for (const text of ['Ann plays the cello', 'Ann lives in Bremen']) {
    expect((await cli(['add', text, '--user', 'ann', '--db', one, '--no-embedder'])).exit).toBe(0)
  }
  const done = await cli(['migrate', '--from', from, '--to', to, '-o', 'json'])
  expect([done.exit, done.err]).toEqual([0, ''])
  const answer = JSON.parse(done.out)
  expect(answer).toMatchObject({ from: one, to: two, transactions: 2, records: 2, links: 0, verified: true })
  expect(answer).toMatchObject({ journal: 2, copied: { transactions: 2, journal: 2 }, skipped: { erased: 0 } })
  expect(answer.digest).toMatch(/^[0-9a-f]{64}$/)
  const again = await cli(['migrate', '--from', from, '--to', to, '--verify-only'])
  expect([again.exit, again.out]).toEqual([0, expect.stringContaining('2 records')])

  expect((await cli(['add', 'Mine', '--user', 'ann', '--db', other, '--no-embedder'])).exit).toBe(0)
  expect((await cli(['migrate', '--from', from, '--to', `sqlite:${other}`])).exit).toBe(4)
  const missing = testFile()
  expect((await cli(['migrate', '--from', `sqlite:${missing}`, '--to', to])).exit).toBe(5)
  expect(existsSync(missing)).toBe(false)
  expect((await cli(['migrate', '--from', from])).exit).toBe(2)
  const stopped = new AbortController()
  stopped.abort()
  expect((await cli(['migrate', '--from', from, '--to', to], { signal: stopped.signal })).exit).toBe(130)
}, 60_000)
