import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cli } from '../../test/fixtures/cli.ts'
import { placeOf } from './input/scope.ts'
import { printAnswer } from './output/answer.ts'
import { renderAnswer } from './output/renderers.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-store-'))
  file = join(folder, 'a.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ann = ['--user', 'ann']

describe('the store of a command', () => {
  it('[LIF-13] is what --store names, else MNEME_STORE, and a file is looked for and made like any', async () => {
    const typed = ['--store', `sqlite:${file}`]
    expect(await cli([...typed, 'list', ...ann])).toMatchObject({
      exit: 5,
      err: expect.stringContaining('no memory at'),
    })
    expect(await cli([...typed, 'add', 'Ann sings', ...ann])).toMatchObject({ exit: 0 })
    expect(existsSync(file)).toBe(true)
    const env = { MNEME_STORE: `sqlite:${file}`, MNEME_DB: join(folder, 'other.db') }
    expect((await cli(['list', ...ann], { env })).out).toContain('Ann sings')
    expect((await cli(['list', ...ann, '--db', file], { env: { MNEME_STORE: 'memory:' } })).out).toContain('Ann sings')
    expect((await cli(['list', ...ann, '--store', 'sqlite'], { env: { MNEME_DB: file } })).out).toContain('Ann sings')
    expect((await cli(['--store=memory:', 'list', ...ann])).exit).toBe(0)
  })

  it('[LIF-13] is not named twice, nor by what names none; neither is repeated', async () => {
    const both = await cli(['list', ...ann, '--db', file, '--store', 'memory:'])
    expect(both).toMatchObject({ exit: 2, err: expect.stringContaining('--db and --store') })
    const none = await cli(['list', ...ann, '--store', 'postgress://ann:hunter2@db/x'])
    expect(none).toMatchObject({ exit: 5, err: expect.stringContaining('--store') })
    expect(none.err).not.toContain('hunter2')
    const variable = await cli(['list', ...ann], { env: { MNEME_STORE: 'hunter2' } })
    expect(variable).toMatchObject({ exit: 5, err: expect.stringContaining('MNEME_STORE') })
    expect(variable.err).not.toContain('hunter2')
    // Looked for as a file, or made as one, it would be shown with its password.
    const address = 'postgres://ann:hunter2@db/x'
    const asFile = await cli(['init', '--db', address])
    expect(asFile).toMatchObject({ exit: 5, err: expect.stringContaining('--db: is an address') })
    const asVariable = await cli(['list', ...ann], { env: { MNEME_DB: address } })
    expect(asVariable).toMatchObject({ exit: 5, err: expect.stringContaining('MNEME_DB: is an address') })
    expect(asFile.err + asVariable.err).not.toContain('hunter2')
    expect(placeOf({ store: 'postgres://ann:hunter2@db/x' }, { userId: 'ann' })).toBe('--user ann')
    expect(placeOf({ store: 'sqlite:./a.db' }, { userId: 'ann' })).toBe('--store sqlite:./a.db --user ann')
  })

  it('[LIF-13] is looked at by init and doctor, be it a file or not', async () => {
    const made = await cli(['init', '-o', 'json', '--store', `sqlite:${file}`])
    expect(JSON.parse(made.out)).toEqual({ path: file, created: true })
    const ready = await cli(['init', '-o', 'json', '--store', 'memory:'])
    expect(JSON.parse(ready.out)).toEqual({ store: 'memory' })
    const { exit, out } = await cli(['doctor', '-o', 'json', '--store', 'memory:'])
    expect(exit).toBe(0)
    const store = { name: 'store', status: 'ok', message: expect.stringMatching(/^memory answers in \d+ ms$/) }
    expect(JSON.parse(out)).toMatchObject({ ok: true, store: 'memory', checks: expect.arrayContaining([store]) })
  })
})

describe('mneme health', () => {
  it('[LIF-14] ends with 0 when all is well and with 6 when it is down', async () => {
    await cli(['init', '--db', file])
    const well = await cli(['health', '--db', file])
    expect(well).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^ok {2}mneme .*sqlite store\nstore {2}sqlite {2}ok {2}/),
    })
    const letter = join(folder, 'letter.txt')
    writeFileSync(letter, 'Dear Ann, this is no database but a letter.\n'.repeat(100))
    const down = await cli(['health', '--db', letter, '-o', 'json', '--timeout-ms', '60000'])
    expect(down.exit).toBe(6)
    expect(JSON.parse(down.out)).toMatchObject({ status: 'down', tiers: [{ status: 'down' }] })
    expect(await cli(['health', '--db', join(folder, 'nowhere.db')])).toMatchObject({ exit: 5 })
  })

  it('[LIF-14] moves sessions where there is something to move', async () => {
    await cli(['init', '--db', file])
    const moved = await cli(['migrate-to-cold', 's1', ...ann, '--db', file])
    expect(moved).toMatchObject({ exit: 0, out: 'moved  0 memories\n' })
    const other = await cli(['migrate-to-cold', 's1', ...ann, '--session', 's2', '--db', file])
    expect(other).toMatchObject({ exit: 2 })
  })
})

describe('what an answer lacks', () => {
  const degraded = [{ stage: 'cold', code: 'BACKEND_UNAVAILABLE', message: 'it is away.' }]
  const said = 'The cold tier could not do its part: BACKEND_UNAVAILABLE: it is away.'
  const asked = { options: {}, place: '', records: new Map(), more: false }

  it('[LIF-14] is a note, once, with any verb', () => {
    const list = renderAnswer('list', { records: [], degraded }, asked)
    expect(list.notes?.filter((note) => note === said)).toHaveLength(1)
    const search = renderAnswer('search', { results: [], degraded }, asked)
    expect(search.notes?.filter((note) => note === said)).toHaveLength(1)
    expect(renderAnswer('facts.get', { degraded: ['blue'] }, asked).notes ?? []).toEqual([])
    const added = renderAnswer('add', { outcome: 'added', record: { id: 'x' }, tx: 't', durable: false }, asked)
    expect(added.notes).toEqual(['Accepted, and not durable yet: part of the store is away.'])
  })

  it('[LIF-14] is on stderr where stdout has only the items', async () => {
    const printed = { out: '', err: '' }
    const printer = (stream: 'out' | 'err') => ({
      write: async (text: string) => {
        printed[stream] += text
      },
      flush: async () => undefined,
    })
    const canvas = { columns: Number.POSITIVE_INFINITY, colours: false }
    const output = { mode: 'jsonl' as const, out: printer('out'), err: printer('err'), canvas, errCanvas: canvas }
    await printAnswer(output, { records: [{ id: 'x' }], degraded }, () => ({ lines: [] }))
    expect(printed).toEqual({ out: '{"id":"x"}\n', err: `${JSON.stringify({ degraded })}\n` })
  })
})
