import { InputError } from '../../errors/index.ts'
import type { Invocation } from '../verb-command.ts'
import { flagOf } from './option-values.ts'
import { scopeOptions } from './scope.ts'

/** What the engine calls the arguments whose fields are options here. */
const wholes = new Set(['memory', 'patch', 'replacement', 'options', 'budget'])

/** `memory.source.ref` is `sourceRef` as an option. */
function joined(parts: readonly string[]): string {
  const [first = '', second = ''] = parts
  return first + second.charAt(0).toUpperCase() + second.slice(1)
}

/** The option that a field was given with; undefined when it came from elsewhere, such as JSON. */
function optionFor(named: string, { verb, typed }: Invocation): string | undefined {
  const place = named.startsWith(`${verb.name}.`) ? named.slice(verb.name.length + 1) : named
  const parts = place.split(/[.[\]]+/).filter((part) => part !== '')
  const [first, ...inner] = parts
  const rest = first !== undefined && wholes.has(first) ? inner : parts
  const [field = '', ...deeper] = rest
  if (field === 'scope') {
    const option = scopeOptions.find(({ dimension }) => dimension === deeper[0])?.name ?? deeper[0] ?? ''
    return typed.includes(option) ? flagOf(option) : undefined
  }
  if (field === 'source' && typed.includes(joined(rest))) return flagOf(joined(rest))
  if (!typed.includes(field)) return undefined
  // Where in a list or in a time: there is no such place in what was typed.
  const within = deeper.filter((part) => !/^\d+$/.test(part) && !(field === 'eventTime' && part === 'start'))
  return within.length === 0 ? flagOf(field) : `${flagOf(field)}, at ${within.join('.')}`
}

/** Complaints about a field as complaints about the option it was typed as (CLI-27); other errors as they are. */
export function inOptionNames(error: unknown, invocation: Invocation): unknown {
  if (!(error instanceof InputError)) return error
  const place = /^[A-Za-z][\w.[\]]*(?=: )/.exec(error.message)?.[0]
  const option = place === undefined ? undefined : optionFor(place, invocation)
  if (place === undefined || option === undefined) return error
  const { code, details, message } = error
  return new InputError({ code, details, message: option + message.slice(place.length), cause: error })
}
