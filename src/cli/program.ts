import { Command, Option } from 'commander'
import { storeSpecShapes, type Verb, verbs } from '../engine/index.ts'
import { type ErrorCode, errorTraits } from '../errors/index.ts'
import { commandNames, helpFlags } from './argv-to-parse.ts'
import { runInit } from './commands/init.ts'
import { kebab, type OptionSpec } from './input/option-specs.ts'
import { optionTexts } from './input/option-texts.ts'
import { refuse } from './input/option-values.ts'
import type { CliIo } from './io.ts'
import { type Output, type OutputMode, outputModes } from './output/answer.ts'
import { runVerb } from './run-verb.ts'
import { modelSettings, placeOfMemory, type Settings } from './settings.ts'
import { addVerbCommand } from './verb-command.ts'

/** Options that only the command line has, by verb. */
const extraOptions: Readonly<Record<string, readonly OptionSpec[]>> = {
  context: [
    { name: 'tokens', kind: 'number', required: false },
    { name: 'counter', kind: 'text', required: false },
  ],
  export: [{ name: 'to', kind: 'text', required: false }],
  deleteMany: [
    { name: 'all', kind: 'flag', required: false },
    { name: 'yes', kind: 'flag', required: false },
  ],
}

function exitCodes(): string {
  const byExit = new Map<number, ErrorCode[]>()
  for (const [code, { exit }] of Object.entries(errorTraits) as [ErrorCode, { exit: number }][]) {
    byExit.set(exit, [...(byExit.get(exit) ?? []), code])
  }
  const lines = [...byExit].sort(([a], [b]) => a - b).map(([exit, codes]) => `  ${exit}  ${codes.join(', ')}`)
  return ['  0  all went well', '  1  a failure that mneme does not know', ...lines, '  130  interrupted'].join('\n')
}

function footer(): string {
  return `
Start:
  mneme init
  mneme add "Ann moved to Bremen in May 2026" --user ann
  mneme search "Where does Ann live?" --user ann

Environment:
  MNEME_DB          the file that holds the memory, where --db does not say
  MNEME_STORE       another store, where neither --store nor --db says: ${storeSpecShapes}
  MNEME_POSTGRES_URL, MNEME_BOLT_URL, MNEME_REDIS_URL
                    servers: for the stores postgres and bolt without an address, and the hot tier of tiered
  MNEME_MODEL_URL   a language model to learn and summarise with: the base URL of a chat completions endpoint,
                    such as http://localhost:11434/v1; without it nothing uses a network
  MNEME_MODEL       its name
  MNEME_MODEL_KEY   its key, if it wants one
  NO_COLOR          no colours
  MNEME_DEBUG       1: show where an unexpected failure comes from

Exit codes:
${exitCodes()}`
}

const migrateHelp = `
Goes on where an earlier run was ended, at whatever moment. The source may be in use and is followed to its end. Ends with 4 when the
target holds something else, when both differ in the end, or when the source is written so fast that they can't be compared.

Examples:
  mneme migrate --from sqlite:./memory.db --to postgres://localhost/memory
  mneme migrate --from postgres://localhost/memory --to sqlite:./copy.db
  mneme migrate --from sqlite:./memory.db --to postgres://localhost/memory --verify-only`

const expectationHelp = `
A file of expectations:
  tests:
    - name: Ann has moved
      turns:
        - user: I live in Kiel.
        - assistant: Noted.
        - user: I moved to Bonn last week.
      expect:
        - ask: Where does she live?
          within: 800          # tokens
          show: Bonn           # or a list
          never: [Hamburg]

A test with turns or memories starts from nothing and leaves nothing behind; one with neither asks the memory you have.
Ends with 1 when an expectation is not met.

Example:
  mneme test expectations.yaml`

function settingsOf(program: Command, io: CliIo): Settings {
  const { db, store, output, embedder } = program.opts<{
    db?: string
    store?: string
    output: string
    embedder: boolean
  }>()
  if (!outputModes.includes(output as OutputMode)) throw refuse('--output', `must be one of ${outputModes.join(', ')}`)
  return { ...placeOfMemory({ db, store }, io), output: output as OutputMode, embedder, model: modelSettings(io) }
}

/** Where a run of the program puts what it has to say beside answers. */
export interface Outcome {
  exit: number
  /** Help texts, printed when the program is done. */
  help: string
}

/**
 * The command line, made from the table of verbs. To spell out all commands takes ten times what most of them do, so that
 * those that are neither named in `argv` nor to be shown in a help text are there with their names alone.
 */
export function buildProgram(
  io: CliIo,
  output: Output,
  version: string,
  outcome: Outcome,
  argv: readonly string[],
): Command {
  const helps = argv.length === 0 || argv.some((word) => word === 'help' || helpFlags.has(word))
  const columns = output.canvas.columns === Number.POSITIVE_INFINITY ? 100 : output.canvas.columns
  const program = new Command('mneme')
    .description('Long-term memory for AI agents: one file, no server, no network, no model needed.')
    .version(version, '-V, --version', 'show the version')
    .option('--db <file>', 'the file that holds the memory (default: MNEME_DB, else ~/.mneme/memory.db)')
    .option('--store <store>', 'what holds the memory instead of a file (default: MNEME_STORE)')
    .addOption(new Option('-o, --output <mode>', 'text, json or jsonl').default('text'))
    .option('--no-embedder', 'search by text only')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => {
        outcome.help += text
      },
      // Told as an error of ours, once, by whoever runs the program.
      writeErr: () => {},
      getOutHelpWidth: () => columns,
      getOutHasColors: () => false,
    })
    .exitOverride()
    .addHelpText('after', footer())

  const settle = async (run: (settings: Settings) => Promise<number>) => {
    outcome.exit = await run(settingsOf(program, io))
  }

  program
    .command('init')
    .description("Make the memory's file, or see that it can be used.")
    .addHelpText('after', '\nExample:\n  mneme init --db ./memory.db')
    .action(() => settle((settings) => runInit(settings, output)))
  for (const verb of verbs as readonly Verb[]) {
    // Of a group the name of the group: its commands are spelt out together.
    const name = kebab(verb.name).split('.')[0] as string
    if (!helps && !argv.includes(name)) {
      if (!commandNames(program).includes(name)) program.command(name)
      continue
    }
    addVerbCommand(
      program,
      verb,
      io,
      (invocation) => settle((settings) => runVerb(invocation, settings, io, output)),
      extraOptions[verb.name],
    )
  }
  program
    .command('doctor')
    .description('Say in plain words what is wrong with this installation, if anything.')
    .option('--deep', optionTexts.deep)
    .addHelpText('after', '\nExample:\n  mneme doctor --deep')
    .action(({ deep = false }: { deep?: boolean }) =>
      settle(async (settings) => {
        const { runDoctor } = await import('./commands/doctor.ts')
        return runDoctor(settings, deep, io, output)
      }),
    )
  program
    .command('conformance')
    .description('Check the built-in stores, or a store of your own, against the storage contract.')
    .argument('[module]', 'a module whose default export makes a store')
    .addHelpText('after', '\nExample:\n  mneme conformance')
    .action((module: string | undefined) =>
      settle(async () => {
        // Loaded when asked for: the suite is as large as the engine.
        const { runConformanceCommand } = await import('./commands/conformance.ts')
        return runConformanceCommand(module, io, output)
      }),
    )
  program
    .command('migrate')
    .description('Copy a whole store into another: every version, links, journals and vectors, verified by a digest.')
    .requiredOption('--from <store>', `what is copied: ${storeSpecShapes}`)
    .requiredOption('--to <store>', 'where to: empty, or begun by an earlier run, and used by nobody else meanwhile')
    .option('--verify-only', 'write nothing, compare')
    .addHelpText('after', migrateHelp)
    .action(({ from, to, verifyOnly = false }: { from: string; to: string; verifyOnly?: boolean }) =>
      settle(async () => {
        const { runMigrate } = await import('./commands/migrate.ts')
        return runMigrate({ from, to, verifyOnly }, io, output)
      }),
    )
  program
    .command('test')
    .description('Run what you expect of a memory: what a question must bring to light, and what it must never show.')
    .argument('<file>', 'YAML or JSON; - reads what is piped in')
    .option('--user <name>', 'whose memory is asked where a test names no scope and has nothing to remember')
    .addHelpText('after', expectationHelp)
    .action((file: string, { user }: { user?: string }) =>
      settle(async (settings) => {
        const { runTestCommand } = await import('./commands/test.ts')
        return runTestCommand(file, settings, user === undefined ? undefined : { userId: user }, io, output)
      }),
    )
  program.command('bench').description('Measure speed and recall on this machine; mneme bench --help says how.')
  return program
}
