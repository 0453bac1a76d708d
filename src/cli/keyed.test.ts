import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CliSetting, cli } from '../../test/fixtures/cli.ts'

let folder: string
let db: string
let count = 0
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-keyed-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  db = join(folder, `${++count}.db`)
})

const run = (words: readonly string[], setting?: CliSetting) => cli([...words, '--db', db, '--user', 'ann'], setting)

async function json(words: readonly string[], setting?: CliSetting) {
  const { exit, out, err } = await run([...words, '-o', 'json'], setting)
  expect({ exit, err }).toEqual({ exit: 0, err: '' })
  return JSON.parse(out)
}

describe('groups of commands', () => {
  it('[CLI-32] a group alone shows what is in it, its commands have help of their own, and a wrong one is named', async () => {
    expect(await cli(['kv'])).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/Usage: mneme kv .*\n[\s\S]*\bnamespaces\b/),
    })
    expect((await cli(['help', 'kv', 'put'])).out).toBe((await cli(['kv', 'put', '--help'])).out)
    expect((await cli(['kv', 'put', '--help'])).out).toMatch(/Usage: mneme kv put .*<namespace> <key> \[value\]/)
    for (const words of [
      ['kv', 'foo'],
      ['kv', 'foo', '--help'],
    ]) {
      expect(await cli(words)).toMatchObject({
        exit: 2,
        err: expect.stringContaining("'foo'. There are put, get, delete, list, namespaces."),
      })
    }
    expect((await cli(['kv', 'putt', 'a', 'b', 'c'])).err).toContain('Did you mean put?')
  })
})

describe('mneme kv', () => {
  it('[KV-1] a value is JSON where it is JSON, else a text, also from stdin', async () => {
    const values: [string, unknown][] = [
      ['5', 5],
      ['"5"', '5'],
      ['dark mode', 'dark mode'],
      ['null', null],
      ['{"a": [1]}', { a: [1] }],
      ['- x', '- x'],
    ]
    for (const [typed, value] of values) {
      const put = typed.startsWith('-')
        ? json(['kv', 'put', 'n', 'k', '-'], { stdin: typed })
        : json(['kv', 'put', 'n', 'k', typed])
      expect((await put).record.data).toEqual(value)
      expect((await json(['kv', 'get', 'n', 'k'])).value).toEqual(value)
    }
    expect((await run(['kv', 'get', 'n', 'k'])).out).toBe('- x\n')
  })

  it('[KV-6] namespaces are typed with commas or as JSON, and listed with their entries', async () => {
    await json(['kv', 'put', 'acme,eu', 'k', '1'])
    await json(['kv', 'put', '["a,b"]', 'k', 'two', '--ttl-ms', '100000000'])
    await json(['kv', 'put', '[]', 'k', '3'])
    expect((await json(['kv', 'get', '["acme","eu"]', 'k'])).value).toBe(1)
    expect((await run(['kv', 'list', '[]', '--prefix', 'true'])).out).toMatch(
      /^acme\/eu\/k {2}1\na,b\/k {2}two {2}until .*Z\nk {2}3\n$/,
    )
    expect((await run(['kv', 'list', 'acme', '--prefix', '["eu"]'])).out).toBe('acme/eu/k  1\n')
    expect(await run(['kv', 'list', 'acme'])).toMatchObject({ exit: 0, out: '', err: 'No entries here.\n' })
    expect((await run(['kv', 'namespaces'])).out).toBe('[]\n["a,b"]\n["acme","eu"]\n')
    expect((await run(['kv', 'list', '[]', '--prefix', 'true', '-k', '1'])).err).toMatch(
      /^There is more: repeat with --cursor /,
    )
    expect((await run(['kv', 'list', '[]', '--prefix', 'true', '-o', 'jsonl'])).out.split('\n')).toHaveLength(4)
  })

  it('[CLI-22] a key that is not there ends with 3, a lost race with 4, a bad option names it', async () => {
    expect((await run(['kv', 'get', 'n', 'k'])).exit).toBe(5)
    await json(['kv', 'put', 'n', 'k', '1'])
    expect(await run(['kv', 'get', 'n', 'other'])).toMatchObject({
      exit: 3,
      out: '',
      err: expect.stringContaining('No such key'),
    })
    expect((await run(['kv', 'put', 'n', 'k', '2', '--if-version', '0'])).exit).toBe(4)
    expect((await run(['kv', 'put', 'n', 'k', '2', '--ttl-ms', '0'])).err).toContain('--ttl-ms: must be at least 1')
    expect((await run(['kv', 'delete', 'n', 'k'])).exit).toBe(0)
    expect(await run(['kv', 'delete', 'n', 'k'])).toMatchObject({
      exit: 3,
      err: expect.stringContaining('No such key'),
    })
  })
})

describe('mneme facts', () => {
  it('[FCT-1] a fact is set, shown, listed and its former values are kept', async () => {
    await json(['facts', 'set', 'home.city', 'Bremen', '--source', 'crm', '--confidence', '0.9'])
    expect((await run(['facts', 'set', 'home.city', 'Ulm', '--confidence', '0.5'])).out).toMatch(
      /^kept {2}home\.city {2}version 1 {2}the present value is more certain: 0\.9/,
    )
    expect(
      (await json(['facts', 'set', 'home.city', 'Kiel', '--source', '{"type": "assistant", "ref": "map"}'])).outcome,
    ).toBe('superseded')
    await json(['facts', 'set', 'pets', '["cat"]'])
    expect(await run(['facts', 'get', 'home.city'])).toMatchObject({ exit: 0, out: 'Kiel\n' })
    expect((await run(['facts', 'entry', 'home.city'])).out).toMatch(
      /^home\.city\nvalue +Kiel\nconfidence +1\nsource +assistant, map\nversion +2\nupdated .*\nid .*\n$/,
    )
    expect((await run(['facts', 'all'])).out).toBe('pets  ["cat"]\nhome.city  Kiel\n')
    expect((await run(['facts', 'history', 'home.city'])).out).toMatch(
      /^v1 .*Z {2}superseded {2}Bremen\nv2 .*Z {2}live {8}Kiel\n$/,
    )
    expect((await run(['facts', 'all', '-o', 'jsonl'])).out.split('\n')).toHaveLength(3)
  })

  it('[CLI-40] a contradiction is told, shown with both sides and what speaks for them, and decided by the beginning of its id', async () => {
    await json(['facts', 'set', 'home.city', 'Bonn'])
    const source = '{"type": "web", "ref": "example.org", "quote": "Ann lives in Kiel."}'
    const set = await run(['facts', 'set', 'home.city', 'Kiel', '--source', source])
    expect(set.out).toMatch(/^conflict {2}.* waits in quarantine: what is known is as it was {2}tx .*\n$/)
    expect(set.err).toContain('mneme conflicts list. To decide: mneme conflicts resolve ')
    const listed = await run(['conflicts', 'list'])
    expect(listed.out).toMatch(
      /what is untrusted contradicts what is trusted\n {2}first .* home\.city: Bonn .*trusted[\s\S]* second .* home\.city: Kiel .*untrusted/,
    )
    expect(listed.out).toContain('"Ann lives in Kiel."')
    expect((await run(['list', '--status', 'quarantined'])).out).toContain('home.city: Kiel')
    const [{ id }] = (await json(['conflicts', 'list'])).conflicts
    const resolved = await run(['conflicts', 'resolve', id.slice(0, 30), '--keep', 'second'])
    expect(resolved.out).toMatch(/^kept second {2}first superseded .* second live /)
    expect(await run(['facts', 'get', 'home.city'])).toMatchObject({ exit: 0, out: 'Kiel\n' })
    expect(await run(['conflicts', 'list'])).toMatchObject({
      out: '',
      err: expect.stringContaining('No open contradictions'),
    })
    expect(await run(['conflicts', 'resolve', id, '--keep', 'first'])).toMatchObject({ exit: 4 })
  })

  it('[CLI-22] a fact that is not there ends with 3', async () => {
    await json(['facts', 'set', 'k', '1'])
    for (const words of [['get'], ['entry'], ['history'], ['delete']]) {
      expect(await run(['facts', ...words, 'other'])).toMatchObject({
        exit: 3,
        out: '',
        err: expect.stringContaining('No such key'),
      })
    }
    expect((await run(['facts', 'delete', 'k'])).exit).toBe(0)
    expect((await run(['facts', 'set', 'k', '1', '--confidence', '2'])).err).toContain('--confidence: must be')
  })
})

describe('mneme episodes', () => {
  it('[EPI-3] events are recorded from arguments and stdin, and shown in order of time', async () => {
    const day = '{"start": "2026-05-08T10:00:00Z", "granularity": "day"}'
    expect(
      (await json(['episodes', 'record', 'Ann sang', '--event-time', '2026-05-08T20:00:00Z', '--task', 'choir'])).record
        .metadata,
    ).toEqual({ task: 'choir' })
    await json(['episodes', 'record', '--event-time', day, '--session', 's1'], { stdin: 'Ann slept\n' })
    const timeline = async (...more: string[]) =>
      (await json(['episodes', 'timeline', ...more])).records.map(({ content }: never) => content)
    expect(await timeline()).toEqual(['Ann slept', 'Ann sang'])
    expect(await timeline('--since', '2026-05-08T21:00:00Z')).toEqual(['Ann slept'])
    expect(await timeline('--task', 'choir')).toEqual(['Ann sang'])
    expect(await timeline('--session', 's1')).toEqual(['Ann slept'])
    expect((await run(['episodes', 'timeline'])).out).toMatch(
      /^2026-05-08 .*\n +Ann slept\n2026-05-08 .*\n +Ann sang\n$/,
    )
    expect((await run(['episodes', 'record', 'x', '--event-time', '2026-05-08'])).err).toContain(
      '--event-time: the time has no offset',
    )
  })
})
