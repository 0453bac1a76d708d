import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CliSetting, cli } from '../../test/fixtures/cli.ts'
import { openMemory } from '../engine/index.ts'
import { runCli } from './run-cli.ts'

let folder: string
let db: string
let count = 0
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-cli-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(async () => {
  db = join(folder, `${++count}.db`)
  await cli(['init', '--db', db])
})

const run = (argv: readonly string[], setting?: CliSetting) => cli(['--db', db, ...argv], setting)

/** A run that must go well, its answer as JSON. */
async function json(argv: readonly string[], setting?: CliSetting) {
  const { exit, out, err } = await run([...argv, '-o', 'json'], setting)
  expect({ exit, err }).toEqual({ exit: 0, err: '' })
  return JSON.parse(out)
}

async function addOne(text = 'Ann plays the cello', ...more: string[]): Promise<{ id: string; tx: string }> {
  const { record, tx } = await json(['add', text, '--user', 'ann', ...more])
  return { id: record.id, tx }
}

describe('exit codes and errors', () => {
  it.each([
    [['serach'], 2, "'serach' (Did you mean search?)"],
    [['nothing-like-it'], 2, 'There are init, add'],
    [['search', 'x', '--usr', 'ann'], 2, "'--usr'"],
    [['search', 'x', '--limit', 'many'], 2, '--limit: must be a number'],
    [['search', 'x', '-k', '0'], 2, 'LIMIT_OUT_OF_RANGE'],
    [['search', 'x', '--mode', 'psychic'], 2, '--mode: must be one of hybrid, text, vector'],
    [['list', '--status', 'live,dead'], 2, '--status: must be one of'],
    [['list', '--filter', '{oops'], 2, '--filter: is not JSON'],
    [['list', '--filter', '{"a": {"resembles": 1}}'], 2, 'INVALID_FILTER'],
    [['list', '--since', '2026-05-01'], 2, 'INVALID_TIME'],
    [['list', '--all-scopes', '--user', 'ann'], 2, 'contradict'],
    [['add', 'x', '--metadata', 'nope'], 2, '--metadata: is not JSON'],
    [['link', 'a', 'b'], 2, '--type'],
    [['get'], 2, "'id'. See mneme get --help."],
    [['kv', 'put', 'settings'], 2, 'See mneme kv put --help.'],
    [['kv', 'putt'], 2, "'putt' (Did you mean put?). See mneme kv --help."],
    [['rm', 'x'], 2, "'rm' (Did you mean delete or invalidate?). See mneme --help."],
    [['--user', 'ann', 'list'], 2, 'come after its name, as in mneme list --user ann'],
    [['list', '--json'], 2, '(Did you mean -o json?). See mneme list --help.'],
    [['list', '--tags', 'a', 'b'], 2, 'a comma between them: --tags a,b'],
    [['report', 'x', '--user', 'ann'], 2, '--success or --no-success: say one of them.'],
    [['kv', 'list', 'a', '--prefix', 'yes', '--user', 'ann'], 2, '--prefix: must be true, or a list.'],
    [['add', 'several', 'words'], 2, 'needs quotes'],
    [['stats', '-o', 'xml'], 2, '--output: must be one of text, json, jsonl'],
    [['update', 'nobody', '--importance', '1'], 3, 'RECORD_NOT_FOUND'],
    [['get', 'nobody'], 3, 'No such memory'],
  ] as const)('[CLI-3] %j ends with %i and says %s', async (argv, exit, words) => {
    const { err, out, exit: ended } = await run(argv)
    expect({ ended, out }).toEqual({ ended: exit, out: '' })
    expect(err).toContain(words)
  })

  it('[CLI-3] a conflict ends with 4, a file that is not ours with 5', async () => {
    await addOne('one thing', '--id', 'x')
    expect((await run(['add', 'another', '--id', 'x', '--user', 'ann'])).exit).toBe(4)
    writeFileSync(join(folder, 'letter.db'), 'Dear Ann, '.repeat(100))
    const { exit, err } = await cli(['--db', join(folder, 'letter.db'), 'list'])
    expect(exit).toBe(5)
    expect(err).toContain('error BAD_CONFIG: ')
    expect(readFileSync(join(folder, 'letter.db'), 'utf8')).toBe('Dear Ann, '.repeat(100))
  })

  it('[CLI-3] in json mode an error is one object on stderr', async () => {
    const { exit, out, err } = await run(['search', 'x', '-k', '1001', '--user', 'ann', '-o', 'json'])
    expect({ exit, out }).toEqual({ exit: 2, out: '' })
    expect(JSON.parse(err)).toEqual({
      error: {
        code: 'LIMIT_OUT_OF_RANGE',
        message: expect.stringContaining('1 to 1000'),
        retryable: false,
        details: { field: 'limit' },
      },
    })
    const unknown = await run(['--output=json', 'search', '--foo'])
    expect(JSON.parse(unknown.err).error).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('[CLI-3] a failure that mneme does not know ends with 1, in one line without a stack unless asked for', async () => {
    const setting: CliSetting = {
      userName: () => {
        throw new Error('no users\nhere')
      },
      env: { USER: 'ann' },
    }
    expect((await run(['list'], setting)).err).toContain('For user ann')
    const broken = {
      get USER(): string {
        throw new Error('first line\nsecond line')
      },
    }
    const quiet = await run(['list'], { ...setting, env: broken })
    expect(quiet.exit).toBe(1)
    expect(quiet.err).toMatch(/^error UNEXPECTED: first line .*MNEME_DEBUG.*\n$/)
    const debug = await run(['list'], {
      ...setting,
      env: Object.defineProperties({ MNEME_DEBUG: '1' }, Object.getOwnPropertyDescriptors(broken)),
    })
    expect(debug.err).toContain('    at ')
  })

  it('[CLI-3] what somebody wants remembered is in no message, also when it looks like an option', async () => {
    const secret = '- the code of the safe is 4711'
    const { exit, err } = await run(['add', secret])
    expect(exit).toBe(2)
    expect(err).not.toContain('4711')
    expect(err).toContain('Put -- before it')
    await run(['add', '--user', 'ann', '--', secret])
    expect((await json(['list', '--user', 'ann'])).records[0].content).toBe(secret)
  })
})

describe('scopes', () => {
  it('[CLI-4] without a scope the system user is used and named on stderr, once and only to people', async () => {
    const { exit, err } = await run(['add', 'Something to keep'])
    expect({ exit, err }).toEqual({
      exit: 0,
      err: 'For user os-user, as the operating system has it; --user NAME says otherwise.\n',
    })
    const { records } = await json(['list'])
    expect(records[0].scope).toEqual({ userId: 'os-user' })
    expect((await run(['list', '-o', 'jsonl'])).err).toBe('')
    expect((await run(['list', '--user', 'ann'])).err).toBe('No memories here.\n')
  })

  it('[CLI-4] every dimension can be named, segments of the namespace keep their order', async () => {
    const place = ['--app', 'a,b', '--user', 'ann', '--agent', 'planner', '--session', 's 1']
    const { record } = await json(['add', 'x', ...place, '--namespace', 'z', '--namespace', 'a,b'])
    expect(record.scope).toEqual({
      appId: 'a,b',
      userId: 'ann',
      agentId: 'planner',
      sessionId: 's 1',
      namespace: ['z', 'a,b'],
    })
    expect((await json(['list', '--user', 'ann'])).records).toHaveLength(1)
    expect((await json(['list', '--all-scopes'])).records).toHaveLength(1)
    expect((await json(['list', '--agent', 'planner', '--namespace', 'a,b'])).records).toHaveLength(0)
    await addOne('a fact of Ann as such')
    const inside = ['list', '--user', 'ann', '--session', 's2']
    expect((await json(inside)).records).toHaveLength(0)
    expect((await json([...inside, '--include', 'shared'])).records).toHaveLength(1)
  })

  it('[CLI-4] import writes where the file says, not into the scope of the system user', async () => {
    await addOne()
    const file = join(folder, 'import.jsonl')
    await run(['export', '--all-scopes', '--to', file])
    db = join(folder, 'import.db')
    expect(await json(['import', file])).toMatchObject({ imported: 1, failed: 0 })
    expect((await json(['list', '--user', 'ann'])).records).toHaveLength(1)
  })
})

describe('output', () => {
  it('[CLI-5] json is exactly the answer of the engine', async () => {
    const { id, tx } = await addOne(
      'Ann plays the cello',
      '--tags',
      'music,home',
      '--event-time',
      '2026-05-08T13:56:00+02:00',
    )
    const other = await addOne('Ann sings alto')
    await json(['link', id, other.id, '--type', 'like', '--user', 'ann'])
    const scope = { userId: 'ann' }
    const memory = await openMemory({ path: db, scope })
    const expected = {
      get: await memory.get(id),
      list: await memory.list(),
      history: await memory.history(id),
      neighbors: await memory.neighbors(id),
      stats: await memory.stats(),
      changes: await memory.changes(),
      pending: await memory.pending(),
      hits: (await memory.search('cello', { touch: false, explain: true })).results.map((hit) =>
        Object.keys(hit).sort(),
      ),
      verify: await memory.verify(),
    }
    await memory.close()
    const ann = ['--user', 'ann']
    expect(await json(['get', id, ...ann])).toEqual(expected.get)
    expect(await json(['list', ...ann])).toEqual(expected.list)
    expect(await json(['history', id, ...ann])).toEqual(expected.history)
    expect(await json(['neighbors', id, ...ann])).toEqual(expected.neighbors)
    expect(await json(['stats', ...ann])).toMatchObject({ ...expected.stats, sizeBytes: expect.any(Number) })
    expect(await json(['changes', ...ann])).toEqual(expected.changes)
    expect(await json(['pending', ...ann])).toEqual(expected.pending)
    expect(await json(['verify'])).toEqual(expected.verify)
    const { results } = await json(['search', 'cello', '--no-touch', '--explain', ...ann])
    expect(results.map((hit: object) => Object.keys(hit).sort())).toEqual(expected.hits)
    expect(await json(['undo', tx, ...ann, '--dry-run'])).toMatchObject({
      reverted: [id],
      plan: { steps: [{ op: 'delete' }] },
    })
    expect(JSON.parse((await run(['get', 'nobody', ...ann, '-o', 'json'])).out)).toBeNull()
  })

  it('[CLI-5] jsonl is one item a line', async () => {
    await json(['add-many', 'one', 'two', 'three', '--user', 'ann'])
    const { out } = await run(['list', '--order', 'oldest', '--user', 'ann', '-o', 'jsonl'])
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).content)).toEqual(['one', 'two', 'three'])
    const ids = await run(['get-many', '-', '--user', 'ann', '-o', 'json'], { stdin: out })
    expect(JSON.parse(ids.out).map((record: { content: string }) => record.content)).toEqual(['one', 'two', 'three'])
    expect((await run(['stats', '--user', 'ann', '-o', 'jsonl'])).out.trimEnd().split('\n')).toHaveLength(1)
  })

  it('[CLI-6] text shows score, date, id, tags, status and content, cut to the width of a terminal only', async () => {
    const long = `Ann plays ${'the cello and '.repeat(20)}the viola`
    const { id } = await addOne(long, '--tags', 'music', '--event-time', '2026-05-08T13:56:00Z')
    await json(['invalidate', id, '--user', 'ann'])
    const argv = ['search', 'cello', '--status', 'any', '--user', 'ann']
    const piped = await run(argv)
    expect(piped.out).toMatch(
      new RegExp(`^[01]\\.\\d\\d {2}2026-05-08 {2}${id} {2}invalid {2}#music\\n {6}${long}\\n$`),
    )
    const shown = await run(argv, { terminals: ['stdout'], columns: 60, env: { NO_COLOR: '1' } })
    for (const line of shown.out.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
    expect(shown.out).toContain('…')
    const coloured = await run(argv, { terminals: ['stdout'], columns: 80 })
    expect(coloured.out).toContain('\u001b[31minvalid')
    expect(piped.out + shown.out).not.toContain('\u001b')
  })

  it('[CLI-6] a dry run shows its plan as steps', async () => {
    const { id } = await addOne()
    const { out, err } = await run(['supersede', id, 'Ann plays the viola', '--user', 'ann', '--dry-run'])
    expect(out).toMatch(/^1\. supersede .*\n {6}Ann plays the cello\n2\. supersede .*\n {6}Ann plays the viola\n$/)
    expect(err).toContain('Nothing was written')
  })

  it('[CLI-7] text of a memory never drives the terminal, in no output mode', async () => {
    const hostile =
      'red \u001b[31m clear \u001b[2J title \u001b]0;x\u0007 csi \u009b31m back\u0008 bidi \u202e rtl\u2066\nnext line'
    const { id } = await addOne(hostile, '--source-quote', hostile, '--tags', `["${'\\u001b[31m'}tag"]`)
    for (const argv of [
      ['get', id],
      ['list'],
      ['search', 'red'],
      ['history', id],
      ['changes'],
      ['delete', id, '--dry-run'],
      ['export'],
    ]) {
      for (const mode of ['text', 'json', 'jsonl']) {
        const { out } = await run([...argv, '--user', 'ann', '-o', mode], {
          terminals: ['stdout'],
          env: { NO_COLOR: '1' },
        })
        expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        expect(out.length).toBeGreaterThan(50)
      }
    }
    expect((await json(['get', id, '--user', 'ann'])).content).toBe(hostile)
    expect((await run(['list', '--user', 'ann'])).out).toContain('red \\x1b[31m clear')
  })

  it('[CLI-9] progress is for terminals', async () => {
    await json(['add-many', 'one', 'two', '--user', 'ann'])
    const file = join(folder, 'progress.jsonl')
    expect((await run(['export', '--user', 'ann', '--to', file])).err).toBe('')
    db = join(folder, 'progress.db')
    expect((await run(['import', file])).err).toBe('')
    db = join(folder, 'progress-2.db')
    const shown = await run(['import', file], { terminals: ['stderr'] })
    expect(shown).toMatchObject({ exit: 0, err: expect.stringMatching(/import .*2\/2 records/) })
  })
})

describe('input', () => {
  it('[CLI-11] add reads text, fields and JSON', async () => {
    const { record } = await json([
      'add', 'Ann plays the cello', '--user', 'ann', '--kind', 'entity', '--key', 'instrument', '--tags', 'a,b', '--tags', 'c',
      '--metadata', '{"n": 1}', '--data', '[1]', '--importance', '0.9', '--confidence', '0.8', '--reliability', '0.7',
      '--source', 'document', '--source-actor', 'Ann', '--source-ref', 'letter', '--trust', 'inferred', '--pinned',
      '--event-time', '{"start": "2026-05-08T00:00:00Z", "granularity": "day"}', '--valid-from', '2026-05-08T00:00:00Z',
      '--expires-at', '2999-01-01T00:00:00Z', '--id', 'mine',
    ]) // biome-ignore format: one line a group
    expect(record).toMatchObject({
      id: 'mine', kind: 'entity', key: 'instrument', tags: ['a', 'b', 'c'], metadata: { n: 1 }, data: [1],
      importance: 0.9, confidence: 0.8, reliability: 0.7, trust: 'inferred', pinned: true,
      source: { type: 'document', actor: 'Ann', ref: 'letter' },
      eventTime: { start: '2026-05-08T00:00:00.000Z', granularity: 'day' }, validFrom: '2026-05-08T00:00:00.000Z',
    }) // biome-ignore format: one line a group
    const asJson = await json([
      'add',
      '{"content": "from JSON", "importance": 0.1}',
      '--json',
      '--tags',
      'x',
      '--user',
      'ann',
    ])
    expect(asJson.record).toMatchObject({ content: 'from JSON', importance: 0.1, tags: ['x'] })
    const asText = await json(['add', '{"content": "as it is"}', '--user', 'ann'])
    expect(asText.record.content).toBe('{"content": "as it is"}')
  })

  it('[CLI-11] a text that is left out, or -, is read from stdin', async () => {
    const piped = await json(['add', '--user', 'ann'], { stdin: 'Two\nlines\n' })
    expect(piped.record.content).toBe('Two\nlines')
    const dashed = await json(['add', '-', '--tags', 'x', '--user', 'ann'], { stdin: 'With a tag' })
    expect(dashed.record).toMatchObject({ content: 'With a tag', tags: ['x'] })
    const { results } = await json(['search', '--user', 'ann'], { stdin: 'tag\n' })
    expect(results[0].content).toBe('With a tag')
    const { exit, err } = await run(['add', '--user', 'ann'])
    expect({ exit, err }).toMatchObject({ exit: 2, err: expect.stringContaining('TEXT: is missing') })
  })

  it.each([
    ['lines of text', 'one\n\ntwo\r\n', ['one', 'two']],
    ['JSON lines', '{"content": "one"}\n"two"\n', ['one', 'two']],
    ['a JSON array', '["one",\n {"content": "two"}]', ['one', 'two']],
  ])('[CLI-11] add-many reads %s from stdin', async (_, stdin, contents) => {
    const { results } = await json(['add-many', '--user', 'ann'], { stdin })
    expect(results.map(({ record }: { record: { content: string } }) => record.content)).toEqual(contents)
  })

  it('[CLI-11] a line that is not JSON is named by its number, and nothing is written', async () => {
    const { exit, err } = await run(['add-many', '--user', 'ann'], { stdin: '{"content": "one"}\n{oops\n' })
    expect(exit).toBe(2)
    expect(err).toContain('stdin, line 2: is not JSON')
    expect((await json(['list', '--user', 'ann'])).records).toHaveLength(0)
  })

  it('[CLI-11] update and supersede take fields as options too', async () => {
    const { id } = await addOne('Ann plays the cello', '--expires-at', '2999-01-01T00:00:00Z')
    const ann = ['--user', 'ann']
    const { record } = await json([
      'update',
      id,
      '{"expiresAt": null}',
      '--content',
      'Ann plays the viola',
      '--pinned',
      ...ann,
    ])
    expect(record).toMatchObject({ content: 'Ann plays the viola', pinned: true, version: 2 })
    expect(record.expiresAt).toBeUndefined()
    expect((await json(['update', id, '--no-pinned', ...ann])).record.pinned).toBe(false)
    const newer = await json(['supersede', id, 'Ann plays the violin', '--importance', '0.9', ...ann])
    expect(newer).toMatchObject({ record: { supersedes: id, importance: 0.9 }, previous: { status: 'superseded' } })
    const { id: third } = await addOne('Ann plays nothing')
    expect(await json(['supersede', newer.record.id, '--by', third, ...ann])).toMatchObject({ record: { id: third } })
  })

  it('[CLI-11] apply takes a plan or the answer that holds one', async () => {
    const { plan } = await json(['add', 'planned', '--user', 'ann', '--dry-run'])
    await json(['apply', JSON.stringify(plan), '--user', 'ann'])
    const answer = await run(['delete-many', '--filter', '{}', '--user', 'ann', '--dry-run', '-o', 'json'])
    await json(['apply', '--user', 'ann'], { stdin: answer.out })
    expect((await json(['list', '--user', 'ann'])).records).toHaveLength(0)
  })

  it('[CLI-12] export never writes over a file, and what it writes can be imported', async () => {
    await addOne()
    const file = join(folder, 'export.jsonl')
    expect(await json(['export', '--user', 'ann', '--to', file])).toEqual({ path: file, records: 1 })
    const before = readFileSync(file, 'utf8')
    const again = await run(['export', '--user', 'ann', '--to', file])
    expect(again).toMatchObject({ exit: 2, err: expect.stringContaining('exists already') })
    expect(readFileSync(file, 'utf8')).toBe(before)
    db = join(folder, 'export.db')
    expect(await json(['import', '-'], { stdin: before })).toMatchObject({ imported: 1 })
    const report = await run(['import', file, '--user', 'bob', '--dry-run'])
    expect(report).toMatchObject({ exit: 2, out: expect.stringContaining('outside the scope') })
    expect(await run(['import', join(folder, 'nowhere.jsonl')])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('ENOENT'),
    })
  })
})

describe('the rest of the world', () => {
  it('[CLI-13] the file is --db, else MNEME_DB; init makes it and says so', async () => {
    const path = join(folder, 'deep', 'er', 'memory.db')
    const made = await cli(['init', '-o', 'json'], { env: { MNEME_DB: path } })
    expect(JSON.parse(made.out)).toEqual({ path, created: true })
    const again = await cli(['init', '--db', path, '-o', 'json'], { env: { MNEME_DB: '/nowhere' } })
    expect(JSON.parse(again.out)).toEqual({ path, created: false })
  })

  it('[CLI-13] without an embedder texts are found all the same', async () => {
    await addOne()
    expect((await json(['search', 'cello', '--user', 'ann', '--no-embedder'])).results).toHaveLength(1)
    const { embedder } = await json(['stats', '--user', 'ann', '--no-embedder'])
    expect(embedder).toBeNull()
  })

  it('[CLI-14] a reader who leaves is no failure', async () => {
    await json(['add-many', 'one', 'two', 'three', '--user', 'ann'])
    let written = ''
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const stderr = new Writable({
      write(chunk, _encoding, done) {
        written += chunk
        done()
      },
    })
    const exit = await runCli(['--db', db, 'export', '--user', 'ann'], {
      stdin: (async function* () {})(),
      stdout,
      stderr,
      env: {},
      isTerminal: { stdin: true, stdout: false, stderr: false },
      signal: new AbortController().signal,
      userName: () => 'os-user',
    })
    expect({ exit, written }).toEqual({ exit: 0, written: '' })
  })

  it('[CLI-45] the language model is that of the environment, and none without; a name must be there', async () => {
    const model = { MNEME_MODEL_URL: 'http://127.0.0.1:9/v1', MNEME_MODEL: 'small', MNEME_MODEL_KEY: 'sk-secret' }
    const usage = async (env: Readonly<Record<string, string>>) => {
      const { exit, out, err } = await cli(['usage', '--user', 'ann', '--db', db, '-o', 'json'], { env })
      expect(out + err).not.toContain('secret')
      return exit === 0 ? JSON.parse(out).model : err
    }
    expect(await usage({})).toBeNull()
    expect(await usage(model)).toBe('openai-compatible:small')
    expect(await usage({ ...model, MNEME_MODEL: '' })).toContain('MNEME_MODEL_URL is set and MNEME_MODEL is not')
    expect(await usage({ ...model, MNEME_MODEL_URL: 'localhost' })).toContain('BAD_CONFIG')
  })

  it('[CLI-14] an interruption ends with 130 and writes nothing more', async () => {
    const controller = new AbortController()
    const running = run(['add', '--user', 'ann'], { stdin: 'half a thought', signal: controller.signal })
    controller.abort()
    expect(await running).toEqual({ exit: 130, out: '', err: '' })
    expect((await json(['list', '--user', 'ann'])).records).toHaveLength(0)
  })

  it('[CLI-15] the version is that of the package, and nothing alone shows help', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await cli(['--version'])).toEqual({ exit: 0, out: `${version}\n`, err: '' })
    const { exit, out } = await cli([])
    expect(exit).toBe(0)
    expect(out).toContain('MNEME_DB')
    expect(out).toContain('  4  CONFLICT')
  })
})
