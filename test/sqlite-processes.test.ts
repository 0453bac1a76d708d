import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, it } from 'vitest'
import { brokenJournalLine } from '../src/contract/index.ts'
import { MnemeError } from '../src/errors/index.ts'
import { allScopes } from '../src/model/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { put, transaction } from '../src/testing/index.ts'
import { buildChildren, type Children } from './fixtures/sqlite-children.ts'

let folder: string
let children: Children
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sqlite-processes-'))
  children = await buildChildren()
})
afterAll(async () => {
  await children.remove()
  await rm(folder, { recursive: true, force: true })
})

it('[SQL-15] two processes that write 20 records each at once leave 40, and each sees all of them at once', async () => {
  const path = join(folder, 'shared.db')
  // Not made beforehand: they race for creating the file too.
  const writers = ['one', 'two'].map((name) => children.start('write', path, name))
  for (const child of writers) assert.equal(await child.nextLine(), 'ready')
  for (const child of writers) child.tell()
  for (const child of writers) assert.equal(await child.nextLine(), 'written')
  for (const child of writers) child.tell()
  for (const child of writers) assert.deepEqual(JSON.parse(await child.nextLine()), { records: 40, entries: 40 })
  for (const child of writers) assert.equal(await child.ended, 0)

  const store = sqlite({ path })
  await store.open()
  const ids = ['one', 'two'].flatMap((name) => Array.from({ length: 20 }, (_, i) => `${name}-${i}`))
  assert.ok((await store.get(allScopes(), ids)).every((stored) => stored !== null))
  assert.equal(brokenJournalLine(await store.journal(allScopes(), { limit: 100 })), null)
  assert.deepEqual(await store.verify(), [])
  await store.close()
})

it('[SQL-9] a write waits for another process, without holding up the event loop, and gives up as BACKEND_TIMEOUT', async () => {
  const path = join(folder, 'locked.db')
  const holder = children.start('hold', path)
  assert.equal(await holder.nextLine(), 'ready')
  const [patient, hasty] = [sqlite({ path }), sqlite({ path, busyTimeoutMs: 50 })]
  await patient.open()
  await hasty.open()
  const add = (id: string) => transaction({ id: `tx-${id}`, at: 1, changes: [put({ id })] })

  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const refusal = await hasty.commit(add('hasty')).catch((error: unknown) => error)
  clearInterval(timer)
  assert.ok(MnemeError.is(refusal, 'BACKEND_TIMEOUT') && refusal.retryable)
  assert.ok(turns > 0, 'the event loop stood still')
  assert.deepEqual(await hasty.get(allScopes(), ['hasty']), [null])

  const waiting = patient.commit(add('patient'))
  holder.tell()
  await waiting
  assert.ok((await hasty.get(allScopes(), ['patient']))[0])
  await hasty.commit(add('hasty'))
  assert.equal(await holder.ended, 0)
  await patient.close()
  await hasty.close()
})
