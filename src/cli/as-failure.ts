import { CommanderError } from 'commander'
import { InputError } from '../errors/index.ts'
import { refuse } from './input/option-values.ts'

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
