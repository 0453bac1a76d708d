import type { GenerateRequest } from '../../contract/index.ts'
import type { JsonObject, JsonValue } from '../../model/index.ts'
import { withSchemaInWords } from '../schema-in-words.ts'

/** What a server understands: they agree on most of the parameters of a chat completion. */
export interface Dialect {
  /** `strict` where the schema allows it; not every keyword is taken then. */
  readonly schema: 'strict' | 'json_schema' | 'json_object' | 'none'
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens'
  readonly temperature: boolean
  /** Whether usage can be asked for in a stream. */
  readonly streamUsage: boolean
}

export const commonDialect: Dialect = {
  schema: 'strict',
  maxTokens: 'max_tokens',
  temperature: true,
  streamUsage: true,
}

/**
 * The next dialect to try after a refusal, null when there is none. By the parameter that the server names; one that names none
 * is most often one that can't be held to a schema.
 */
export function nextDialect(
  dialect: Dialect,
  complaint: string,
  request: GenerateRequest,
  stream: boolean,
): Dialect | null {
  const names = (pattern: RegExp) => pattern.test(complaint)
  if (dialect.maxTokens === 'max_tokens' && names(/max_completion_tokens/)) {
    return { ...dialect, maxTokens: 'max_completion_tokens' }
  }
  if (dialect.temperature && request.temperature !== undefined && names(/temperature/)) {
    return { ...dialect, temperature: false }
  }
  if (dialect.streamUsage && stream && names(/stream_options|include_usage/)) return { ...dialect, streamUsage: false }
  const { schema } = request
  if (schema === undefined || dialect.schema === 'none') return null
  if (dialect.schema === 'strict' && isStrict(schema)) return { ...dialect, schema: 'json_schema' }
  return { ...dialect, schema: dialect.schema === 'json_object' ? 'none' : 'json_object' }
}

/** The body of a request in a dialect. */
export function bodyOf(model: string, request: GenerateRequest, dialect: Dialect, stream: boolean): JsonObject {
  const { system, messages, schema, maxTokens, temperature } = request
  const isHeld = schema === undefined || dialect.schema === 'strict' || dialect.schema === 'json_schema'
  const instructions = isHeld ? system : withSchemaInWords(system, schema)
  return {
    model,
    messages: [
      ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
      ...messages.map(({ role, content }) => ({ role, content })),
    ],
    ...(maxTokens === undefined ? {} : { [dialect.maxTokens]: maxTokens }),
    ...(temperature === undefined || !dialect.temperature ? {} : { temperature }),
    ...(schema === undefined ? {} : formatOf(schema, dialect)),
    ...(stream ? { stream: true, ...(dialect.streamUsage ? { stream_options: { include_usage: true } } : {}) } : {}),
  }
}

function formatOf(schema: JsonObject, dialect: Dialect): JsonObject {
  if (dialect.schema === 'none') return {}
  if (dialect.schema === 'json_object') return { response_format: { type: 'json_object' } }
  const json_schema = {
    name: 'answer',
    schema,
    ...(dialect.schema === 'strict' && isStrict(schema) ? { strict: true } : {}),
  }
  return { response_format: { type: 'json_schema', json_schema } }
}

/** OpenAI holds a model to a schema only where each object has all of its properties and no others. */
function isStrict(schema: JsonValue): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (typeof schema !== 'object' || schema === null) return true
  const { type, properties, required, additionalProperties } = schema as JsonObject
  if (type === 'object') {
    const names = Object.keys((properties ?? {}) as JsonObject)
    const all = Array.isArray(required) && names.every((name) => required.includes(name))
    if (additionalProperties !== false || (names.length > 0 && !all)) return false
  }
  return Object.values(schema).every(isStrict)
}
