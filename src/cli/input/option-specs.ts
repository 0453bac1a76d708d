import { z } from 'zod'
import type { Verb } from '../../engine/index.ts'

/** What may follow an option on the command line; a value is JSON where it is JSON, else a text. */
export type OptionKind = 'text' | 'number' | 'flag' | 'choice' | 'list' | 'json' | 'value'

/** One option of a verb, read from the verb's input schema. */
export interface OptionSpec {
  /** The field of the input, such as `asOf`; the flag is `--as-of`. */
  readonly name: string
  readonly kind: OptionKind
  /** The values that are allowed. */
  readonly choices?: readonly string[]
  readonly required: boolean
  /** Of a list: a single value is passed by itself. */
  readonly alone?: boolean
}

type Described = Omit<OptionSpec, 'name' | 'required'>

function describeUnion(members: readonly unknown[]): Described {
  const described = members.map(describe)
  const list = described.find((member) => member?.kind === 'list')
  const choices = [...new Set(described.flatMap((member) => member?.choices ?? []))]
  if (list?.choices) return { kind: 'list', choices, alone: true }
  return choices.length > 0 && described.every((member) => member?.kind === 'choice')
    ? { kind: 'choice', choices }
    : { kind: 'value' }
}

/** Null: nothing that can be typed on a command line, such as a function or a signal. */
function describe(schema: unknown): Described | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return describe(schema.unwrap())
  if (schema instanceof z.ZodCustom) return null
  if (schema instanceof z.ZodString) return { kind: 'text' }
  if (schema instanceof z.ZodNumber) return { kind: 'number' }
  if (schema instanceof z.ZodBoolean) return { kind: 'flag' }
  if (schema instanceof z.ZodEnum) return { kind: 'choice', choices: schema.options.map(String) }
  if (schema instanceof z.ZodLiteral) return { kind: 'choice', choices: [...schema.values].map(String) }
  if (schema instanceof z.ZodUnion) return describeUnion(schema.options)
  if (schema instanceof z.ZodArray) {
    const element = describe(schema.element)
    if (element?.kind === 'text') return { kind: 'list' }
    if (element?.kind === 'choice') return { kind: 'list', choices: element.choices ?? [] }
  }
  return { kind: 'json' }
}

/** Fields with options of their own shape: a scope has a flag for each dimension, the session among them; a budget has tokens and a counter. */
const shapedElsewhere = new Set(['scope', 'session', 'budget'])

/** The options of a verb: every field of its input that is no argument. */
export function optionSpecs(verb: Verb): OptionSpec[] {
  return Object.entries(verb.input.shape).flatMap(([name, schema]): OptionSpec[] => {
    if (verb.positional.includes(name) || shapedElsewhere.has(name)) return []
    const described = describe(schema)
    return described === null ? [] : [{ name, ...described, required: !(schema instanceof z.ZodOptional) }]
  })
}

/** True when the argument takes several values: the field is an array. */
export function isList(verb: Verb, positional: string): boolean {
  const schema = verb.input.shape[positional]
  return (schema instanceof z.ZodOptional ? schema.unwrap() : schema) instanceof z.ZodArray
}

export function hasField(verb: Verb, name: string): boolean {
  return Object.hasOwn(verb.input.shape, name)
}

/** `asOf` as it is typed: `as-of`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
