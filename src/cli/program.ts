import { Command, CommanderError, Option } from 'commander'
import { type Verb, verbs } from '../engine/index.ts'
import { type ErrorCode, errorTraits, InputError } from '../errors/index.ts'
import { runInit } from './commands/init.ts'
import { kebab, type OptionSpec } from './input/option-specs.ts'
import { optionTexts } from './input/option-texts.ts'
import { refuse } from './input/option-values.ts'
import type { CliIo } from './io.ts'
import { type Output, type OutputMode, outputModes } from './output/answer.ts'
import { runVerb } from './run-verb.ts'
import { dbPath, modelSettings, type Settings } from './settings.ts'
import { addVerbCommand } from './verb-command.ts'

/** Options that only the command line has, by verb. */
export const extraOptions: Readonly<Record<string, readonly OptionSpec[]>> = {
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
  MNEME_MODEL_URL   a language model to learn and summarise with: the base URL of a chat completions endpoint,
                    such as http://localhost:11434/v1; without it nothing uses a network
  MNEME_MODEL       its name
  MNEME_MODEL_KEY   its key, if it wants one
  NO_COLOR          no colours
  MNEME_DEBUG       1: show where an unexpected failure comes from

Exit codes:
${exitCodes()}`
}

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
  const { db, output, embedder } = program.opts<{ db?: string; output: string; embedder: boolean }>()
  if (!outputModes.includes(output as OutputMode)) throw refuse('--output', `must be one of ${outputModes.join(', ')}`)
  return { db: dbPath(db, io), typedDb: db, output: output as OutputMode, embedder, model: modelSettings(io) }
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

/** Words that people try, and what they are here. */
const alsoCalled: Readonly<Record<string, readonly string[]>> = {
  remove: ['delete', 'invalidate'],
  rm: ['delete', 'invalidate'],
  remember: ['add'],
  store: ['add'],
  save: ['add'],
  put: ['kv put', 'add'],
  set: ['kv put', 'facts set', 'entities set'],
  merge: ['entities merge'],
  record: ['episodes record', 'add'],
  timeline: ['episodes timeline'],
  find: ['search'],
  query: ['search'],
  recall: ['search'],
  ask: ['search'],
  show: ['get', 'list'],
  ls: ['list'],
  edit: ['update', 'supersede'],
  change: ['update', 'supersede'],
  replace: ['supersede', 'update'],
  revert: ['undo'],
  log: ['changes', 'history'],
  why: ['explain'],
  check: ['doctor', 'verify'],
  dump: ['export'],
  load: ['import'],
}

/** Options that people try, and what they are here. */
const optionsAlsoCalled: Readonly<Record<string, string>> = {
  '--format': '-o text, json or jsonl',
  '--json': '-o json',
  '--scope': '--user, --agent, --session, --app or --namespace',
  '--top-k': '--limit',
}

/** What there was to choose from, and whose help says more. */
export interface Choices {
  readonly names: readonly string[]
  /** `mneme kv put --help` */
  readonly help: string
  /** Options came before the command. */
  readonly optionsFirst: boolean
}

function unknownCommand(message: string, { names, help }: Choices): string {
  const typed = /^unknown command '([^']*)'/.exec(message)?.[1] ?? ''
  const meant = Object.hasOwn(alsoCalled, typed) ? alsoCalled[typed] : undefined
  if (meant) return `unknown command '${typed}' (Did you mean ${meant.join(' or ')}?). See ${help}.`
  const guess = message.includes('Did you mean') ? `See ${help}.` : `There are ${names.join(', ')}.`
  return `${message.replace(/\.?$/, '.')} ${guess}`
}

function hintOn(code: string, { help, optionsFirst }: Choices): string {
  if (code === 'commander.excessArguments') {
    return 'A text of several words needs quotes around it, several values of one option a comma between them: --tags a,b.'
  }
  if (code === 'commander.unknownOption' && optionsFirst)
    return `The options of a command come after its name, as in mneme list --user ann. See ${help}.`
  return `See ${help}.`
}

/** What the parser says, and where it guesses at an option that we know better, our guess. */
function saidOf(code: string, message: string): string {
  const typed = code === 'commander.unknownOption' ? /^unknown option '([^']*)'/.exec(message)?.[1] : undefined
  if (typed === undefined || !Object.hasOwn(optionsAlsoCalled, typed)) return message
  return `unknown option '${typed}' (Did you mean ${optionsAlsoCalled[typed]}?)`
}

function complaint(code: string, message: string, choices: Choices): string {
  if (code === 'commander.unknownCommand') return unknownCommand(message, choices)
  return `${saidOf(code, message).replace(/\.?$/, '.')} ${hintOn(code, choices)}`
}

/** A complaint of the parser as an error of ours; null when it only showed help. */
export function asFailure(error: unknown, choices: Choices): unknown {
  if (!(error instanceof CommanderError)) return error
  if (error.exitCode === 0) return null
  const message = error.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ')
  // A text that starts with a dash is taken for an option: what it says stays out of the message.
  const typed = /^unknown option '([^']*)'?/s.exec(message)?.[1]
  if (typed !== undefined && !/^--?[a-zA-Z][\w-]*$/.test(typed)) {
    return refuse(
      'an argument',
      'starts with a dash but is no option. Put -- before it: mneme add --user ann -- "- eggs"',
    )
  }
  return new InputError({ code: 'INVALID_ARGUMENT', message: complaint(error.code, message, choices) })
}

const helpFlags = new Set(['-h', '--help'])
const withValue = new Set(['--db', '-o', '--output'])
const alone = /^(?:-h|--help|-V|--version|--no-embedder|--db=.*|-o.+|--output=.*)$/s

/** The command and the words after it; nothing when options come first that only a command can explain. */
function wordsOf(argv: readonly string[]): readonly string[] {
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string
    if (!word.startsWith('-')) return argv.slice(i, i + 3)
    if (withValue.has(word)) i++
    else if (!alone.test(word)) return []
  }
  return []
}

/**
 * What the parser is to read. Asked for help it looks no further, so the help of a command that does not exist would
 * be that of the program: such a command is left alone for it to complain about.
 */
export function argvToParse(argv: readonly string[], program: Command): readonly string[] {
  if (argv.length === 0) return ['--help']
  const names = commandNames(program)
  const [first, second, third] = wordsOf(argv)
  const group = groupOf(program, first)
  if (group && second === undefined) return [...argv, '--help']
  if (group && second !== 'help' && !commandNames(group).includes(second as string))
    return [first as string, second as string]
  if (first === 'help' && third !== undefined && groupOf(program, second)) return [second as string, third, '--help']
  const asked = first === 'help' ? second : argv.some((word) => helpFlags.has(word)) ? first : undefined
  const isKnown = asked === undefined || asked.startsWith('-') || asked === 'help' || names.includes(asked)
  return isKnown ? argv : [asked]
}

/** The command of that name when it is one of several commands, such as `kv`. */
function groupOf(program: Command, name: string | undefined): Command | undefined {
  return program.commands.find((command) => command.name() === name && command.commands.length > 0)
}

/** What could have been typed: the commands, or of a group that was named those in it. */
export function choicesOf(program: Command, argv: readonly string[]): Choices {
  const [first = '', second = ''] = wordsOf(argv)
  const group = groupOf(program, first)
  const names = commandNames(group ?? program)
  const said = group === undefined ? [first] : [first, second]
  const known = names.includes(said.at(-1) as string) ? said : said.slice(0, -1)
  const help = ['mneme', ...known, '--help'].join(' ')
  return { names, help, optionsFirst: first === '' && argv[0]?.startsWith('-') === true }
}

export function commandNames(program: Command): string[] {
  return program.commands.map((command) => command.name())
}
