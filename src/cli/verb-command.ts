import { type Command, Option } from 'commander'
import type { Verb } from '../engine/index.ts'
import type { Scope } from '../model/index.ts'
import { type ArgumentSpec, argumentSpecs } from './input/arguments.ts'
import { hasField, kebab, type OptionSpec, optionSpecs } from './input/option-specs.ts'
import { commandNotes, optionText, placeholderOf } from './input/option-texts.ts'
import { flagOf, parseOption, type RawValue, refuse } from './input/option-values.ts'
import { namespaceOption, scopeOf, scopeOptions } from './input/scope.ts'
import type { CliIo } from './io.ts'

/** What a command line says, read: ready for the engine. */
export interface Invocation {
  readonly verb: Verb
  readonly positional: readonly unknown[]
  readonly options: Readonly<Record<string, unknown>>
  /** The scope that was named; undefined when none was. */
  readonly scope: Scope | undefined
  /** Names of all options that were typed, those of the scope and of the memory among them. */
  readonly typed: readonly string[]
}

/** True unless said otherwise: only `--no-…` makes sense. `verb.option` where another verb means something else by it. */
const onByDefault = new Set(['cite', 'context.profile', 'dedupe', 'rerank', 'touch'])
/** A state of a record, which a change may set either way. */
const eitherWay = new Set(['pinned', 'success'])

function optionsOf(verb: Verb, spec: OptionSpec, group: string): Option[] {
  const flag = kebab(spec.name)
  const help = optionText(verb.name, spec.name) ?? ''
  const make = (flags: string, text: string) => new Option(flags, text).helpGroup(group)
  if (spec.kind === 'flag') {
    const on = make(`--${flag}`, help)
    if (onByDefault.has(spec.name) || onByDefault.has(`${verb.name}.${spec.name}`)) return [make(`--no-${flag}`, help)]
    if (!eitherWay.has(spec.name)) return [on]
    return [
      on,
      make(`--no-${flag}`, optionText(verb.name, `no${spec.name.charAt(0).toUpperCase()}${spec.name.slice(1)}`) ?? ''),
    ]
  }
  const choices = spec.choices && spec.choices.length > 1 ? ` (${spec.choices.join(', ')})` : ''
  const short = spec.name === 'limit' ? '-k, ' : ''
  const value = spec.choices?.length === 1 ? spec.choices[0] : placeholderOf(spec.name, spec.kind)
  const option = make(`${short}--${flag} <${value}>`, help + choices)
  if (spec.kind === 'list') option.argParser((text: string, before: string[] = []) => [...before, text])
  return [option.makeOptionMandatory(spec.required)]
}

/** Two different users in one call can't both be meant, and the last one must not win unseen. @throws InputError */
function sameAsBefore(name: string): (text: string, before: string | undefined) => string {
  return (text, before) => {
    if (before === undefined || before === text) return text
    throw refuse(flagOf(name), 'was given twice and differently')
  }
}

function addScopeOptions(command: Command, verb: Verb): void {
  const group = 'Whose memory:'
  for (const spec of scopeOptions) {
    for (const option of optionsOf(verb, spec, group)) command.addOption(option.argParser(sameAsBefore(spec.name)))
  }
  command.addOption(
    new Option(
      `--${namespaceOption} <${placeholderOf(namespaceOption, 'text')}>`,
      optionText(verb.name, namespaceOption),
    )
      .helpGroup(group)
      .argParser((text: string, before: string[] = []) => [...before, text]),
  )
}

/** Options of a scope that are fields of the verb's input themselves. */
const scopeFields = new Set(['allScopes', 'include'])

/** What was typed of these options, parsed; nothing of what was not typed. */
function readOptions(command: Command, specs: readonly OptionSpec[]): Record<string, unknown> {
  return Object.fromEntries(
    specs.flatMap((spec) => {
      if (command.getOptionValueSource(spec.name) !== 'cli') return []
      return [[spec.name, parseOption(spec, command.getOptionValue(spec.name) as RawValue)]]
    }),
  )
}

async function readArguments(command: Command, args: readonly ArgumentSpec[], io: CliIo): Promise<unknown[]> {
  const values: unknown[] = []
  for (const [i, arg] of args.entries()) {
    const raw = command.processedArgs[i] as string | readonly string[] | undefined
    values.push(await arg.read({ io, raw, fields: readOptions(command, arg.options) }))
  }
  return values
}

/** What a group of commands is about, by its name. */
const groupTexts: Readonly<Record<string, string>> = {
  conflicts: 'See what contradicts what is known, and decide.',
  entities: 'Know who and what there is by name, with aliases, and say which are one.',
  episodes: 'Record what happened, and see it in order.',
  facts: 'Know facts by name, with their former values.',
  kv: 'Keep values by namespace and key.',
  summaries: 'Keep summaries of sessions and profiles, and see whether they are out of date.',
  skills: 'Learn how things are done, and find what fits a need.',
  tools: 'Know what tools there are, with their versions, and find what can do it.',
}

/** Where the command of a verb belongs: the program, or the command of its group. */
function placeFor(program: Command, verb: Verb): { readonly parent: Command; readonly name: string } {
  const [group = '', name] = verb.name.split('.')
  if (name === undefined) return { parent: program, name: kebab(group) }
  const known = program.commands.find((command) => command.name() === group)
  return { parent: known ?? program.command(group).description(groupTexts[group] ?? ''), name: kebab(name) }
}

/** Adds a command made from a verb of the table; `extra` are options that only the command line has. */
export function addVerbCommand(
  program: Command,
  verb: Verb,
  io: CliIo,
  run: (invocation: Invocation, command: Command) => Promise<void>,
  extra: readonly OptionSpec[] = [],
): Command {
  const args = argumentSpecs(verb)
  const own = [...optionSpecs(verb), ...extra]
  const notes = commandNotes[verb.name]
  const { parent, name } = placeFor(program, verb)
  const command = parent
    .command(name)
    .description(verb.summary)
    .addHelpText('after', `${notes === undefined ? '' : `\n${notes}\n`}\nExample:\n  ${verb.example}`)
  for (const arg of args) command.argument(arg.usage, arg.help)
  for (const spec of args.flatMap((arg) => arg.options)) {
    for (const option of optionsOf(verb, spec, 'About the memory:')) command.addOption(option)
  }
  for (const spec of own.filter(({ name }) => !scopeFields.has(name))) {
    for (const option of optionsOf(verb, spec, 'Options:')) command.addOption(option)
  }
  if (hasField(verb, 'scope')) addScopeOptions(command, verb)
  for (const spec of own.filter(({ name }) => scopeFields.has(name))) {
    for (const option of optionsOf(verb, spec, 'Whose memory:')) command.addOption(option)
  }
  return command.action(async () => {
    const named = readOptions(command, scopeOptions)
    if (command.getOptionValueSource(namespaceOption) === 'cli') {
      named[namespaceOption] = command.getOptionValue(namespaceOption)
    }
    const options = readOptions(command, own)
    for (const { name, kind, required } of own) {
      if (kind !== 'flag' || !required || options[name] !== undefined) continue
      throw refuse(`${flagOf(name)} or --no-${kebab(name)}`, 'say one of them')
    }
    const positional = await readArguments(command, args, io)
    const typed = command.options
      .map((option) => option.attributeName())
      .filter((name) => command.getOptionValueSource(name) === 'cli')
    await run({ verb, positional, options, scope: scopeOf(named), typed }, command)
  })
}
