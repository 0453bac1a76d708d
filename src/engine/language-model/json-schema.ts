import { z } from 'zod'
import type { JsonObject, JsonValue } from '../../model/index.ts'

/**
 * Bounds that servers refuse or choke on: some hold a model to a schema by a grammar, in which a text of at most 2,000 characters is
 * 2,000 rules. What comes back is checked by the whole schema anyway.
 */
const bounds = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'uniqueItems',
  'default',
])
/** Numbers to either side of which there is none that could be meant. */
const endless = new Set<JsonValue>([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])

const made = new WeakMap<z.ZodType, JsonObject>()

/** The form of an answer as a model is held to it: JSON Schema with kinds, names and choices, objects with no other fields. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const known = made.get(schema)
  if (known) return known
  const { $schema: _, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const form = formOf(whole as JsonObject)
  made.set(schema, form)
  return form
}

function formOf(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).flatMap(([keyword, value]): [string, JsonValue][] => {
    if (bounds.has(keyword) || endless.has(value)) return []
    // Names of properties are not keywords.
    if (keyword === 'properties' || keyword === '$defs') return [[keyword, eachOf(value as JsonObject)]]
    return [[keyword, formOfAny(value)]]
  })
  const isClosed = schema.properties !== undefined && schema.additionalProperties === undefined
  return Object.fromEntries(isClosed ? [...kept, ['additionalProperties', false]] : kept)
}

function eachOf(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, formOfAny(schema)]))
}

/** What is in a keyword: a schema, a list of them, or a value. */
function formOfAny(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(formOfAny)
  return typeof value === 'object' && value !== null ? formOf(value as JsonObject) : value
}
