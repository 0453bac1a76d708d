import { InputError } from '../../errors/index.ts'
import { kebab, type OptionSpec } from './option-specs.ts'

/** What the command line says of an option: one text, several, or that a flag is there. */
export type RawValue = string | readonly string[] | boolean

/** Never with the value: it may be what somebody wants remembered. */
export function refuse(what: string, why: string): InputError {
  return new InputError({ code: 'INVALID_ARGUMENT', message: `${what}: ${why}.`, details: { option: what } })
}

export function flagOf(name: string): string {
  return `--${kebab(name)}`
}

/** @throws InputError INVALID_ARGUMENT naming what was to be JSON */
export function parseJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const isTyped = /^(?:--[a-z-]+|[A-Z]+)$/.test(what)
    throw refuse(what, isTyped ? 'is not JSON. Quote it for the shell, such as \'{"project": "old"}\'' : 'is not JSON')
  }
}

/** JSON where it is JSON, else the text as it is: `5` is a number, `"5"` and `five` are texts. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function parseNumber(text: string, what: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(value)) throw refuse(what, 'must be a number')
  return value
}

function checkChoice(value: string, choices: readonly string[] | undefined, what: string): string {
  if (choices && !choices.includes(value)) throw refuse(what, `must be one of ${choices.join(', ')}`)
  return value
}

/** `a,b`, repeated as often as one likes; `["a, b"]` where a value holds a comma. */
export function parseList(given: readonly string[], what: string): string[] {
  return given.flatMap((text) => {
    if (!text.startsWith('[')) return text.split(',').map((part) => part.trim())
    const values = parseJsonText(text, what)
    if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return values
    throw refuse(what, 'must be a JSON array of strings, or values with commas between them')
  })
}

/** The value of an option as the engine wants it. @throws InputError INVALID_ARGUMENT naming the option */
export function parseOption(spec: OptionSpec, raw: RawValue): unknown {
  const what = flagOf(spec.name)
  if (typeof raw === 'boolean') return raw
  if (spec.kind === 'list') {
    const values = parseList(typeof raw === 'string' ? [raw] : raw, what)
    for (const value of values) checkChoice(value, spec.choices, what)
    return spec.alone && values.length === 1 ? values[0] : values
  }
  const text = String(raw)
  if (spec.kind === 'number') return parseNumber(text, what)
  if (spec.kind === 'value') return parseValue(text)
  if (spec.kind === 'json') return parseJsonText(text, what)
  return checkChoice(text, spec.choices, what)
}
