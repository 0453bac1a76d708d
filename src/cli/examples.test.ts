import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliRun, type CliSetting, cli, shellWords } from '../../test/fixtures/cli.ts'
import { type Verb, verbs } from '../engine/index.ts'
import { kebab } from './input/option-specs.ts'
import { createPrinter } from './io.ts'
import { buildProgram } from './program.ts'

const table = verbs as readonly Verb[]
/** As it is typed: `kv put`. */
const commandOf = (name: string) => kebab(name).replace('.', ' ')
const names = [...table.map(({ name }) => commandOf(name)), 'init', 'doctor']

/** What answers with nothing, or with an empty plan, on two fresh memories. */
const emptyOnTheSample = new Set([
  'pending',
  'usage',
  'neighbors',
  'paths',
  'unlink',
  'delete-many',
  'forget',
  'maintain',
  'consolidate',
])

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-examples-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The example as `--help` shows it. */
async function exampleOf(name: string): Promise<string> {
  const { exit, out } = await cli([...name.split(' '), '--help'])
  expect(exit).toBe(0)
  return /Example:\n {2}(mneme .*)\n/.exec(out)?.[1] as string
}

interface Sample {
  readonly db: string
  readonly folder: string
  readonly ids: readonly string[]
  readonly tx: string
  readonly conflict: string
}

/** A small memory of Ann's, with a file exported from it. */
async function sample(name: string): Promise<Sample> {
  const place = mkdtempSync(join(folder, `${name}-`))
  const db = join(place, 'memory.db')
  const added = await cli([
    'add-many',
    'Ann sings alto',
    'Ann lives in Kiel',
    '--user',
    'ann',
    '--db',
    db,
    '-o',
    'json',
  ])
  const { results, tx } = JSON.parse(added.out)
  const exported = await cli(['export', '--user', 'ann', '--db', db])
  writeFileSync(join(place, 'ann.jsonl'), exported.out)
  await cli(['kv', 'put', 'settings', 'theme', 'light', '--user', 'ann', '--db', db])
  await cli(['episodes', 'record', 'Ann sang', '--event-time', '2026-05-08T20:00:00Z', '--user', 'ann', '--db', db])
  await cli(['facts', 'set', 'home.city', 'Kiel', '--user', 'ann', '--db', db])
  const web = ['--source', 'web', '--user', 'ann', '--db', db, '-o', 'json']
  const { conflict } = JSON.parse((await cli(['facts', 'set', 'home.city', 'Ulm', ...web])).out)
  const tea = { trigger: 'brew tea', description: 'Makes a hot drink', steps: ['boil water'] }
  await cli(['skills', 'learn', JSON.stringify(tea), '--user', 'ann', '--db', db])
  await cli(['tools', 'learn', '{"name":"kettle","description":"Heats water"}', '--user', 'ann', '--db', db])
  await cli(['entities', 'set', 'Kiel', '--type', 'city', '--aliases', 'city of Kiel', '--user', 'ann', '--db', db])
  await cli(['entities', 'set', 'Holstenstadt', '--user', 'ann', '--db', db])
  return { db, folder: place, ids: results.map((result: { record: { id: string } }) => result.record.id), tx, conflict }
}

/** Runs the commands of a line one after the other; those of a pipe read what the one before wrote. */
async function runExample(example: string, { db, folder: place, ids, tx, conflict }: Sample, setting: CliSetting = {}) {
  const left = [...ids]
  let stdin: string | undefined
  let last: CliRun | undefined
  for (const command of example.split(/ \| | && /)) {
    const [shown = '', target] = command.split(' > ')
    const filled = shown
      .replaceAll('ID', () => left.shift() as string)
      .replaceAll('TX', tx)
      .replaceAll('CONFLICT', conflict)
    const [program, ...words] = shellWords(filled)
    expect(program).toBe('mneme')
    const argv = words.map((word) => (/^\.\/|\.jsonl$/.test(word) ? join(place, basename(word)) : word))
    last = await cli(['--db', db, ...argv], { stdin, ...setting })
    expect(last).toMatchObject({ exit: 0, err: expect.not.stringContaining('error') })
    stdin = last.out
    if (target) expect(last.out).not.toBe('')
  }
  return last as CliRun
}

describe('every command', () => {
  it('[CLI-1] the program has a command for every verb of the table', async () => {
    const { out, exit } = await cli(['--help'])
    expect(exit).toBe(0)
    for (const name of [...names, 'conformance', 'bench'])
      expect(out).toMatch(new RegExp(`^ {2}${name.split(' ')[0]}\\b`, 'm'))
  })

  it.each(table.map((verb) => [commandOf(verb.name), verb.example] as const))(
    '[CLI-1] mneme %s --help shows the example of the table',
    async (name, example) => {
      expect(await exampleOf(name)).toBe(example)
    },
  )

  it.each(names.filter((name) => name !== 'watch'))('[CLI-1] the example of mneme %s works', async (name) => {
    const { out } = await runExample(await exampleOf(name), await sample(name))
    // Where there is nothing to show, stdout stays empty.
    if (!emptyOnTheSample.has(name)) expect(out).not.toBe('')
  })

  it('[CLI-1] the example of mneme watch works until it is interrupted', async () => {
    const place = await sample('watch')
    const controller = new AbortController()
    const watching = cli(['--db', place.db, ...shellWords(await exampleOf('watch')).slice(1)], {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    })
    // Until one of them is seen: the first may come before the watch begins.
    for (let i = 0; !controller.signal.aborted && i < 100; i++) {
      await cli(['add', `Ann counts to ${i}`, '--user', 'ann', '--db', place.db])
    }
    const { exit, out } = await watching
    expect(exit).toBe(130)
    expect(JSON.parse(out.split('\n')[0] as string)).toMatchObject({ op: 'add', scope: { userId: 'ann' } })
  })

  it('[CLI-2] every option of every command says what it does', () => {
    const canvas = { columns: 80, colours: false }
    const sink = createPrinter(process.stdout)
    const output = { mode: 'text', out: sink, err: sink, canvas, errCanvas: canvas } as const
    const io = { env: {} } as never
    const program = buildProgram(io, output, '0', { exit: 0, help: '' }, [])
    const commands = program.commands.flatMap((command) => [command, ...command.commands])
    for (const command of commands) {
      expect(`${command.name()}: ${command.description()}`).toMatch(/: .+/)
      for (const { long, description } of command.options) {
        expect(`${command.name()} ${long}: ${description}`).toMatch(/: .+/)
      }
      for (const argument of command.registeredArguments) {
        expect(`${command.name()} ${argument.name()}: ${argument.description}`).toMatch(/: .+/)
      }
    }
  })
})
