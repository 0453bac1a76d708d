import type { Command } from 'commander'
import type { Choices } from './as-failure.ts'

/** What asks for help instead of an answer. */
export const helpFlags = new Set(['-h', '--help'])
const withValue = new Set(['--db', '--store', '-o', '--output'])
const alone = /^(?:-h|--help|-V|--version|--no-embedder|--db=.*|--store=.*|-o.+|--output=.*)$/s

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
