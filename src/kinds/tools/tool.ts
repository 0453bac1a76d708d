import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import {
  isJsonObject,
  type JsonObject,
  madeOnce,
  maxContentBytes,
  parseMetadata,
  parseWith,
} from '../../model/index.ts'
import { count, filled, maxLine, maxName, text, versionField } from '../fields.ts'

/** What a tool can be asked for, and how often that worked. */
export interface Tool {
  /** One line of versions has one name; compared exactly. */
  readonly name: string
  /** What it is found by. */
  readonly description: string
  /** JSON Schema of its arguments, of type `object`. */
  readonly parameters: JsonObject
  /** JSON Schema of what it answers. */
  readonly returns?: JsonObject
  /** Its source. It is kept as text: nothing runs it. */
  readonly implementation?: string
  /** What whoever runs it has to know: packages, limits, where it is. */
  readonly settings: JsonObject
  /** From 1. */
  readonly version: number
  readonly successes: number
  readonly failures: number
}

/** A tool as a caller gives it. */
export interface NewTool {
  /** Up to 512 characters, not blank. */
  readonly name: string
  /** Up to 4096 characters. @default the name */
  readonly description?: string | undefined
  /** @default { type: 'object', properties: {} } */
  readonly parameters?: JsonObject | undefined
  readonly returns?: JsonObject | undefined
  /** The whole tool takes up to 1 MiB. */
  readonly implementation?: string | undefined
  /** @default {} */
  readonly settings?: JsonObject | undefined
  /** A whole number from 1. @default 1 */
  readonly version?: number | undefined
  /** @default 0 */
  readonly successes?: number | undefined
  /** @default 0 */
  readonly failures?: number | undefined
}

const fields = madeOnce(() => ({
  description: filled(maxLine).optional(),
  parameters: z.unknown().optional(),
  returns: z.unknown().optional(),
  implementation: text(maxContentBytes).optional(),
  settings: z.unknown().optional(),
  version: versionField().optional(),
  successes: count().optional(),
  failures: count().optional(),
}))

const toolSchema = madeOnce(() => z.strictObject({ name: filled(maxName), ...fields() }))
/** Memories that others wrote may say more of a tool, and name it by their key. */
const payloadSchema = madeOnce(() => z.looseObject({ name: filled(maxName).optional(), ...fields() }))

function refuse(path: string, problem: string): InputError {
  return new InputError({ code: 'INVALID_RECORD', message: `${path}: ${problem}.`, details: { path } })
}

/** A schema of arguments: what a model is told must be one that it can be told. */
function parseParameters(value: unknown, path: string): JsonObject {
  const schema = parseMetadata(value, path)
  const { type, properties, required } = schema
  if (type !== undefined && type !== 'object') throw refuse(`${path}.type`, "must be 'object': arguments have names")
  if (properties !== undefined) {
    if (!isJsonObject(properties)) throw refuse(`${path}.properties`, 'must be an object of schemas')
    for (const [name, part] of Object.entries(properties)) {
      if (!isJsonObject(part) && typeof part !== 'boolean')
        throw refuse(`${path}.properties[${JSON.stringify(name.slice(0, 80))}]`, 'must be a schema')
    }
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string')))
    throw refuse(`${path}.required`, 'must be a list of names')
  return schema
}

/** Checks what is known of a tool: types, and parameters that are a schema of named arguments. */
function parsed(given: z.infer<ReturnType<typeof payloadSchema>>, name: string, what: string): Tool {
  const { description, parameters, returns, implementation, settings } = given
  const tool: Tool = {
    name,
    description: description ?? name,
    parameters:
      parameters === undefined ? { type: 'object', properties: {} } : parseParameters(parameters, `${what}.parameters`),
    ...(returns === undefined ? {} : { returns: parseMetadata(returns, `${what}.returns`) }),
    ...(implementation === undefined ? {} : { implementation }),
    settings: settings === undefined ? {} : parseMetadata(settings, `${what}.settings`),
    version: given.version ?? 1,
    successes: given.successes ?? 0,
    failures: given.failures ?? 0,
  }
  if (Buffer.byteLength(JSON.stringify(tool)) > maxContentBytes)
    throw refuse(what, 'larger than 1 MiB. Keep a shorter implementation')
  return tool
}

/**
 * A checked copy of a tool, its defaults filled in: nothing of it changes with the original (TSP-1).
 * @throws InputError UNKNOWN_FIELD or INVALID_RECORD, naming the field and never its value
 */
export function parseTool(value: unknown, what = 'tool'): Tool {
  const given = parseWith(toolSchema(), value, what, 'INVALID_RECORD')
  return parsed(given, given.name, what)
}

/**
 * What the payload of a tool memory says; fields that a tool has not got are passed over. Null where nothing names it.
 * @param key the name of the memory, where the payload has none
 * @throws InputError INVALID_RECORD for a field of the wrong form
 */
export function toolFromPayload(value: unknown, key: string | undefined, what = 'tool'): Tool | null {
  const given = parseWith(payloadSchema(), value, what, 'INVALID_RECORD')
  const name = given.name ?? key
  return name === undefined ? null : parsed(given, name, what)
}

/** The names and descriptions of what a tool takes, one a line: words that a need may share with it. */
export function argumentTexts({ parameters: { properties } }: Pick<Tool, 'parameters'>): string[] {
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).map(([name, schema]) => {
    const told = isJsonObject(schema) && typeof schema.description === 'string' ? schema.description : ''
    return `${spoken(name)} ${told}`
  })
}

/** A name as words: `extractDois` and `extract_dois` as `extract Dois`, `extract dois`. */
export function spoken(name: string): string {
  return name.replace(/[_\-./:]+/g, ' ').replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
}
