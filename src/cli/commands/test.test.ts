import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../../../test/fixtures/cli.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-test-command-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function file(text: string): string {
  const path = join(folder, `${++files}.yaml`)
  writeFileSync(path, text)
  return path
}

const moved = `
tests:
  - name: Ann has moved
    turns:
      - { user: My name is Ann and I live in Kiel., at: "2026-03-01T10:00:00Z" }
      - assistant: Nice to meet you.
      - { role: user, content: I moved to Bonn last week., at: "2026-05-02T10:00:00Z" }
    expect:
      - ask: Where does she live?
        within: 800
        show: Bonn
        never: [Hamburg]
`

describe('mneme test', () => {
  it('[XPT-1] says of each expectation whether it is met, and ends with 1 when one is not', async () => {
    const met = await cli(['test', file(moved)])
    expect(met).toMatchObject({ exit: 0, err: '' })
    expect(met.out).toMatch(/^Ann has moved\n {2}✓ Where does she live\? {2}\d+ tokens\n1 met\n$/)
    const unmet = await cli(['test', file(moved.replace('Hamburg', 'BÖNN')), '-o', 'json'])
    expect(unmet.exit).toBe(1)
    const { ok, failed, tests } = JSON.parse(unmet.out)
    expect({ ok, failed }).toEqual({ ok: false, failed: 1 })
    expect(tests[0].expectations[0]).toMatchObject({ ok: false, missing: [], shown: ['BÖNN'] })
    const missing = await cli(['test', file(moved.replace('show: Bonn', 'show: [Bonn, Atlantis]'))])
    expect(missing.exit).toBe(1)
    expect(missing.out).toMatch(/missing {2}Atlantis\n/)
    expect(missing.out).toMatch(/1 of 1 not met\n$/)
  })

  it('[XPT-1] keeps to the tokens that were named: nothing is shown within none', async () => {
    const { exit, out } = await cli(['test', file(moved.replace('within: 800', 'within: 0')), '-o', 'json'])
    expect(exit).toBe(1)
    expect(JSON.parse(out).tests[0].expectations[0]).toMatchObject({
      tokens: 0,
      missing: ['Bonn'],
      text: '',
      isTooLong: true,
    })
  })

  it('[XPT-2] a test with something to remember touches no memory that is there; one without asks it', async () => {
    const db = join(folder, 'ann.db')
    await cli(['add', 'Ann plays the cello', '--user', 'ann', '--db', db])
    const exported = async () => (await cli(['export', '--user', 'ann', '--db', db])).out.split('\n').slice(1)
    const before = await exported()
    const asked = 'tests: [{ name: instrument, expect: [{ ask: What does Ann play?, show: cello }] }]'
    const own = 'tests: [{ name: nothing, memories: [Ann rows], expect: [{ ask: What does Ann play?, never: cello }] }]'
    expect(await cli(['test', file(asked), '--db', db, '--user', 'ann'])).toMatchObject({ exit: 0 })
    expect(await cli(['test', file(asked), '--db', db, '--user', 'bob'])).toMatchObject({ exit: 1 })
    expect(await cli(['test', file(own), '--db', db, '--user', 'ann'])).toMatchObject({ exit: 0 })
    expect(await exported()).toEqual(before)
    const named = 'tests: [{ name: x, scope: { userId: ann }, expect: [{ ask: What does Ann play?, show: cello }] }]'
    expect(await cli(['test', '-', '--db', db], { stdin: named })).toMatchObject({ exit: 0 })
    expect(await cli(['test', file(asked), '--db', join(folder, 'none.db')])).toMatchObject({ exit: 5 })
  })

  it.each([
    ['no file', null, /can't be read \(ENOENT\)/],
    ['no YAML', 'tests: [', /can't be read as YAML or JSON: line 1/],
    ['no tests', 'tests: []', /file\.tests: has no tests/],
    ['a misspelt field', moved.replace('never', 'nevr'), /tests\[0\]\.expect\[0\]\.nevr: no such field/],
    [
      'nothing expected',
      'tests: [{ name: x, expect: [{ ask: y }] }]',
      /tests\[0\]\.expect\[0\].*needs something to show/,
    ],
    ['a wrong turn', 'tests: [{ name: x, turns: [{ nobody: hi }], expect: [{ ask: y, show: z }] }]', /messages\[0\]/],
    [
      'many aliases',
      `a: &a [${'x,'.repeat(100)}]\nb: &b [${'*a,'.repeat(100)}]\ntests: [${'*b,'.repeat(100)}]`,
      /aliases/,
    ],
    ['lists without end', `tests: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /nested too deep/],
    ['maps without end', `tests: ${'{a: '.repeat(20_000)}${'}'.repeat(20_000)}`, /nested too deep/],
  ])('[XPT-3] refuses %s by name', async (_, text, message) => {
    const { exit, err } = await cli(['test', text === null ? join(folder, 'nowhere.yaml') : file(text)])
    expect(exit).toBe(2)
    expect(err).toMatch(message)
  })
})
