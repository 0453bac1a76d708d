import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CliSetting, cli, shellWords } from '../../test/fixtures/cli.ts'

let folder: string
let db: string
let count = 0
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-verbs-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  db = join(folder, `${++count}.db`)
})

const run = (argv: readonly string[], setting?: CliSetting) => cli(['--db', db, ...argv], setting)

/** A run that must go well, its answer as JSON. */
async function json(argv: readonly string[], setting?: CliSetting) {
  const { exit, out, err } = await run([...argv, '-o', 'json'], setting)
  expect({ exit, err }).toEqual({ exit: 0, err: '' })
  return JSON.parse(out)
}

async function add(text: string, ...more: string[]): Promise<string> {
  return (await json(['add', text, '--user', 'ann', ...more])).record.id
}

const ann = ['--user', 'ann']
const contents = async () =>
  (await json(['list', ...ann, '--status', 'any'])).records.map(({ content }: never) => content)

describe('a dry run', () => {
  it.each([
    [[], ''],
    [['--user', 'ann'], ' --user ann'],
    [
      ['--user', 'ann', '--session', "Ann's first", '--namespace', 'a', '--namespace', 'b c'],
      ` --user ann --session 'Ann'\\''s first' --namespace a --namespace 'b c'`,
    ],
  ])('[CLI-18] with %j says how to carry the plan out in the same file and scope', async (scope, words) => {
    const { err } = await run(['add', 'planned', ...scope, '--dry-run'])
    expect(err).toContain(`piped into mneme apply --db ${db}${words}\n`)
  })

  it('[CLI-18] what it says works', async () => {
    const argv = ['add', 'planned', '--user', 'ann', '--session', 's1', '--dry-run']
    const [, hint = ''] = (await run(argv)).err.split('piped into ')
    const { out } = await run([...argv, '-o', 'json'])
    expect(await cli(shellWords(hint.trim()).slice(1), { stdin: out })).toMatchObject({ exit: 0 })
    expect((await json(['list', ...ann])).records[0].scope).toEqual({ userId: 'ann', sessionId: 's1' })
  })

  it('[CLI-18] names no file that was not named', async () => {
    const { err } = await cli(['add', 'planned', '--user', 'ann', '--dry-run'], { env: { MNEME_DB: db } })
    expect(err).toContain('piped into mneme apply --user ann\n')
  })
})

describe('whose memory', () => {
  it('[CLI-19] is on the line where several scopes may be seen', async () => {
    await add('Ann plays the cello')
    expect((await run(['list', ...ann])).out).not.toContain('user ann')
    expect((await run(['list', '--all-scopes'])).out).toMatch(/^\S+ {2}\S+ {2}user ann\n/)
    await add('We tuned the cello', '--session', 'monday')
    for (const argv of [['list'], ['search', 'cello'], ['list', '--order', 'oldest', '--all-scopes']]) {
      const scope = argv.includes('--all-scopes') ? [] : ann
      const { out } = await run([...argv, ...scope])
      expect(out).toMatch(/ {2}user ann\n {6}Ann plays the cello/)
      expect(out).toMatch(/ {2}user ann, session monday\n {6}We tuned the cello/)
    }
    expect((await run(['changes', ...ann])).out).toMatch(/user ann, session monday {2}We tuned/)
  })

  it('[CLI-29] said twice and differently is refused, before and after', async () => {
    for (const option of ['user', 'agent', 'session', 'app']) {
      const { exit, err } = await run(['add', 'x', `--${option}`, 'ann', `--${option}`, 'bob'])
      expect({ exit, err }).toMatchObject({ exit: 2, err: expect.stringContaining(`--${option}: was given twice`) })
    }
    expect(existsSync(db)).toBe(false)
    expect(await run(['add', 'x', ...ann, ...ann])).toMatchObject({ exit: 0 })
  })
})

describe('a file that is not there', () => {
  it.each([
    ['list'],
    ['search', 'cello'],
    ['get', 'x'],
    ['history', 'x'],
    ['explain', 'cello', 'x'],
    ['changes'],
    ['watch'],
    ['stats'],
    ['pending'],
    ['export'],
    ['verify'],
    ['backup', 'copy.db'],
    ['update', 'x', 'new'],
    ['delete', 'x'],
    ['delete-many', '--all', '--yes'],
  ])('[CLI-20] is not made by %j', async (...argv) => {
    db = join(folder, 'not', 'yet.db')
    const { exit, out, err } = await run(argv)
    expect({ exit, out }).toEqual({ exit: 5, out: '' })
    expect(err).toBe(`error BAD_CONFIG: no memory at ${db} yet; mneme init makes one, mneme add too.\n`)
    expect(existsSync(join(folder, 'not'))).toBe(false)
  })

  it('[CLI-20] is made by a dry run neither, and by the add that follows', async () => {
    expect(await run(['add', 'Ann sings', ...ann, '--dry-run'])).toMatchObject({ exit: 0, out: /^1\. add/ })
    expect(existsSync(db)).toBe(false)
    expect(await run(['add', 'Ann sings', ...ann])).toMatchObject({ exit: 0 })
    expect(await contents()).toEqual(['Ann sings'])
  })
})

describe('why', () => {
  it('[CLI-21] search --explain says it in words, and only numbers that count', async () => {
    await add('Ann plays the cello', '--key', 'instrument')
    await add('Ann is allergic to peanuts')
    const { out } = await run(['search', 'who plays the cello?', ...ann, '--explain'])
    expect(out).toMatch(/Ann plays the cello\n {6}why: .*the same words.*\n {6}relevance 0\.\d+ /)
    expect(out).not.toMatch(/ 0(\.0+)?( |\n)/)
    expect(out).toContain('(words and meaning by in-process index, brought together by convex)')
    expect((await run(['search', 'instrument', ...ann, '--explain'])).out).toContain('why: the question is its key')
  })

  it('[CLI-21] explain says which stage left a memory out', async () => {
    const first = await add('Ann plays the cello', '--tags', 'music')
    const second = await add('Ann keeps a cello in Bremen and another one in Kiel')
    const away = await add('Ann sold a cello', '--status', 'archived')
    const said = async (id: string, ...more: string[]) => {
      const { out, exit } = await run(['explain', 'cello', id, ...ann, ...more])
      expect(exit).toBe(0)
      return out
    }
    expect(await said(first)).toMatch(/^Found as number 1\.\nwhy: .*the same words.*\n\S+ {2}Ann plays the cello\n/)
    expect(await said(second, '-k', '1')).toMatch(/^Found, but it is number 2 and only 1 is shown; -k 2 would/)
    expect(await said(away)).toMatch(/^Not found: it is archived, .*--status any/)
    expect(await said(second, '--tags', 'music')).toMatch(/^Not found: the kinds, tags, times or filter/)
    expect(await said('nobody')).toMatch(/^Not found: no memory of this scope/)
    expect(await said(second, '--min-score', '0.99')).toMatch(/^Not found: its score of 0\.\d\d is below .*, 0\.99\./)
  })
})

describe('ids', () => {
  it.each([['get'], ['history'], ['delete']])('[CLI-22] %s of an unknown one ends with 3 and says so', async (verb) => {
    await add('Ann sings')
    const { exit, out, err } = await run([verb, 'nobody', ...ann])
    expect({ exit, out }).toEqual({ exit: 3, out: '' })
    expect(err).toBe('No such memory in this scope. Check the id and the scope.\n')
    expect((await run([verb, 'nobody', ...ann, '-o', 'json'])).exit).toBe(3)
  })

  it('[CLI-22] what was deleted still has a history', async () => {
    const id = await add('Ann sings')
    expect(await run(['delete', id, ...ann])).toMatchObject({ exit: 0, out: /^deleted {2}1 memory {2}tx/ })
    expect(await run(['history', id, ...ann])).toMatchObject({ exit: 0, out: /delete/ })
  })

  it('[CLI-23] may be shortened where one begins so', async () => {
    const id = await add('Ann sings', '--id', '01a2b3c4-0000-7000-8000-00000000000a')
    const other = await add('Ann hums', '--id', '01a2b3c5-0000-7000-8000-00000000000a')
    const get = async (short: string) => (await json(['get', short, ...ann])).id
    expect(await get('01a2b3c4')).toBe(id)
    expect(await get('01a2b3c5-0000-7')).toBe(other)
    expect((await json(['get-many', '01a2b3c4', other, ...ann])).map((record: { id: string }) => record.id)).toEqual([
      id,
      other,
    ])
    await json(['link', '01a2b3c4', '01a2b3c5', '--type', 'like', ...ann])
    expect((await json(['supersede', '01a2b3c4', '--by', '01a2b3c5', ...ann])).record.id).toBe(other)
    expect((await json(['history', '01a2b3c4', ...ann])).length).toBe(2)
    expect((await json(['explain', 'hum', '01a2b3c5', ...ann])).stage).toBe('returned')
    expect(await json(['delete-many', '--ids', '01a2b3c4,01a2b3c5', ...ann])).toMatchObject({ deleted: 2 })
  })

  it('[CLI-23] that several begin with are listed, and nothing happens', async () => {
    const ids = [
      await add('Ann sings', '--id', '01a2b3c4-0000-7000-8000-00000000000a'),
      await add('Ann hums', '--id', '01a2b3c4-0000-7000-8000-00000000000b'),
    ]
    const { exit, err } = await run(['delete', '01a2b3c4', ...ann])
    expect(exit).toBe(2)
    for (const id of ids) expect(err).toContain(id)
    expect(err).toContain('ID: several memories begin with 01a2b3c4')
    expect(await contents()).toHaveLength(2)
  })

  it('[CLI-23] too short, of another scope or of one’s own never come to mean another', async () => {
    await add('Ann sings', '--id', '01a2b3c4-0000-7000-8000-00000000000a')
    await add('Ann hums', '--id', 'note-10')
    await add('Ann whistles', '--id', 'abcdef12')
    await json(['add', 'Bob drums', '--user', 'bob', '--id', 'ffffffff-0000-7000-8000-00000000000a'])
    for (const id of ['01a2b', 'note-1', 'abcdef1', 'ffffffff']) {
      expect(await run(['delete', id, ...ann])).toMatchObject({ exit: 3 })
    }
    expect(await contents()).toHaveLength(3)
    expect((await json(['get', 'abcdef12', ...ann])).content).toBe('Ann whistles')
  })
})

describe('delete-many', () => {
  beforeEach(async () => {
    await json(['add-many', 'one', 'two', ...ann])
    await add('three', '--tags', 'old')
  })
  const terminal = { terminals: ['stderr'], env: { NO_COLOR: '1' } } as const

  it('[CLI-24] says in words of the command line what it needs', async () => {
    const { exit, err } = await run(['delete-many', ...ann])
    expect({ exit, err }).toMatchObject({ exit: 2, err: expect.stringContaining('give --ids, --filter, --tags') })
    expect((await run(['delete-many', '--all', '--tags', 'old', ...ann])).exit).toBe(2)
    expect(await contents()).toHaveLength(3)
  })

  it('[CLI-24] asks on a terminal, with how many there are, and takes only yes for an answer', async () => {
    for (const typed of ['n\n', '\n', '', 'yesterday\n']) {
      const { exit, out, err } = await run(['delete-many', '--all', ...ann], { ...terminal, typed })
      expect({ exit, out }).toEqual({ exit: 0, out: '' })
      expect(err).toBe(
        '3 memories will be deleted with their history, and nothing brings them back. Delete? [y/N] Nothing was deleted.\n',
      )
    }
    expect(await contents()).toHaveLength(3)
    const tagged = await run(['delete-many', '--tags', 'old', ...ann], { ...terminal, typed: 'y\n' })
    expect(tagged.err).toContain('1 memory will be deleted with its history, and nothing brings it back.')
    expect(tagged.out).toMatch(/^deleted {2}1 memory {2}tx/)
    await run(['delete-many', '--all', ...ann], { ...terminal, typed: 'Yes\n' })
    expect(await contents()).toHaveLength(0)
  })

  it('[CLI-24] asks nobody with --yes, in a dry run, or when nothing would go', async () => {
    expect((await run(['delete-many', '--all', ...ann, '--dry-run'], terminal)).err).not.toContain('[y/N]')
    expect(await run(['delete-many', '--tags', 'new', ...ann], terminal)).toMatchObject({ err: '', exit: 0 })
    expect(await run(['delete-many', '--all', '--yes', ...ann], terminal)).toMatchObject({ err: '', exit: 0 })
    expect(await contents()).toHaveLength(0)
  })

  it('[CLI-24] where nobody can be asked only --all needs --yes', async () => {
    const refused = await run(['delete-many', '--all', ...ann])
    expect(refused).toMatchObject({ exit: 2, err: expect.stringContaining('--all: needs --yes') })
    expect(await run(['delete-many', '--tags', 'old', ...ann])).toMatchObject({ exit: 0, err: '' })
    expect(await contents()).toHaveLength(2)
    expect(await json(['delete-many', '--all', '--yes', ...ann])).toMatchObject({ deleted: 2 })
  })
})

describe('history and changes', () => {
  it('[CLI-25] a superseded memory says by which, and what that one says', async () => {
    const old = await add('Ann lives in Bremen')
    const { record } = await json(['supersede', old, 'Ann lives in Rostock now', ...ann])
    expect((await run(['history', old, ...ann])).out).toContain(
      `      superseded by ${record.id}: Ann lives in Rostock now\n`,
    )
    expect((await run(['history', record.id, ...ann])).out).toContain(`in place of ${old}: Ann lives in Bremen\n`)
    await json(['delete', record.id, ...ann])
    expect((await run(['history', old, ...ann])).out).toContain(`superseded by ${record.id} (gone`)
  })

  it('[CLI-30] a cursor is shown to people only when there is more', async () => {
    await json(['add-many', 'one', 'two', ...ann])
    const some = await run(['changes', ...ann, '-k', '1'])
    const cursor = /^There is more: repeat with --after (\S+)\n$/.exec(some.err)?.[1] as string
    const rest = await run(['changes', ...ann, '--after', cursor])
    expect(rest).toMatchObject({ exit: 0, err: '', out: expect.stringContaining('two') })
    expect((await json(['changes', ...ann])).cursor).toEqual(expect.any(String))
  })

  it('[CLI-30] one is one and two are two', async () => {
    const { tx } = await json(['add-many', 'one', 'two', ...ann])
    expect((await run(['undo', tx, ...ann])).out).toMatch(/^undone {2}2 memories are as they were before /)
    const { plan } = await json(['add', 'three', ...ann, '--dry-run'])
    expect((await run(['apply', JSON.stringify(plan), ...ann])).out).toMatch(/^1 step in one transaction/m)
    expect((await run(['verify'])).out).toBe('✓ all is well  1 memory checked\n')
  })
})

describe('a terminal', () => {
  it('[CLI-30] what a write did is never cut: ids are there to be copied', async () => {
    const old = await add('Ann lives in Bremen')
    const { out } = await run(['supersede', old, 'Ann lives in Kiel', ...ann], {
      terminals: ['stdout'],
      columns: 40,
      env: { NO_COLOR: '1' },
    })
    expect(out).toMatch(/^superseded {2}[0-9a-f-]{36} {2}by {2}[0-9a-f-]{36} {2}tx [0-9a-f-]{36}\n$/)
    const { out: unknownWidth } = await run(['list', ...ann], { terminals: ['stdout'], columns: 0 })
    expect(unknownWidth).toContain('Ann lives in Kiel')
  })
})

describe('unknown words', () => {
  it.each([
    [['remove', '--help'], "unknown command 'remove' (Did you mean delete or invalidate?)"],
    [['remove', 'x'], "unknown command 'remove' (Did you mean delete or invalidate?)"],
    [['help', 'remove'], "unknown command 'remove' (Did you mean delete or invalidate?)"],
    [['-h', '--db', 'x.db', 'serach'], 'Did you mean search?'],
    [['--output', 'text', 'nothing-like-it', '-h'], 'There are init, add'],
  ])('[CLI-26] %j names an unknown command as such', async (argv, words) => {
    const { exit, out, err } = await run(argv)
    expect({ exit, out }).toEqual({ exit: 2, out: '' })
    expect(err).toContain(words)
  })

  it.each([
    [['search', '--help']],
    [['help', 'search']],
    [['help']],
    [['--help']],
    [['-h', 'search']],
    [['-h', '--user', 'ann', 'search']],
  ])('[CLI-26] %j is still help', async (argv) => {
    expect(await run(argv)).toMatchObject({ exit: 0, err: '', out: /^Usage: mneme/ })
  })
})

describe('complaints', () => {
  beforeEach(async () => {
    await json(['init'])
  })

  it.each([
    [['search', 'x', '-k', '0'], 'LIMIT_OUT_OF_RANGE: --limit: must be'],
    [['search', 'x', '--min-score', '3'], '--min-score: '],
    [['search', 'x', '--weights', '{"foo": 1}'], 'UNKNOWN_FIELD: --weights, at foo: '],
    [['neighbors', 'x', '--depth', '22'], '--depth: must be'],
    [['list', '--since', '2026'], 'INVALID_TIME: --since: '],
    [['list', '--kinds', 'a,,'], '--kinds: must not be empty'],
    [['list', '--cursor', 'abc'], 'INVALID_CURSOR: --cursor: '],
    [['list', '--filter', '{"record.foo": 1}'], 'INVALID_FILTER: --filter: '],
    [['add', 'x', '--importance', '3'], '--importance: must be from 0 to 1'],
    [['add', 'x', '--event-time', '2026-01-01'], 'INVALID_TIME: --event-time: '],
    [['add', 'x', '--source-from', ','], '--source-from: '],
    [['add', 'x', '--idempotency-key', ''], '--idempotency-key: '],
    [['add', 'x', '--user', ''], '--user: '],
    [['add', '{"content": "x", "importance": 3}', '--json'], 'memory.importance: '],
  ])('[CLI-27] %j names the option it was typed as', async (argv, words) => {
    const { exit, err } = await run([...argv, ...(argv.includes('--user') ? [] : ann)])
    expect(exit).toBe(2)
    expect(err).toContain(words)
  })

  it('[CLI-28] update takes a text as the new content, and an object when it begins like one', async () => {
    const id = await add('Ann lives in Bremen')
    expect((await json(['update', id, 'Ann lives in Kiel', ...ann])).record.content).toBe('Ann lives in Kiel')
    const both = await json(['update', id, 'Ann lives in Rostock', '--tags', 'home', ...ann])
    expect(both.record).toMatchObject({ content: 'Ann lives in Rostock', tags: ['home'], version: 3 })
    expect((await json(['update', id, ' {"importance": 0.9}', ...ann])).record).toMatchObject({ importance: 0.9 })
    expect((await json(['update', id, ...ann], { stdin: 'Ann lives in Wismar\n' })).record.content).toMatch(/Wismar$/)
    expect(await run(['update', id, 'a', '--content', 'b', ...ann])).toMatchObject({ exit: 2 })
    expect(await run(['update', id, '{oops', ...ann])).toMatchObject({ exit: 2 })
  })
})
