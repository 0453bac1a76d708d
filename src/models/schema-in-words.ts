import type { JsonObject } from '../model/index.ts'

/** For a model that is not held to a schema: it is told, after what it is told anyway. */
export function withSchemaInWords(system: string | undefined, schema: JsonObject): string {
  const words = `Answer with one JSON value that follows this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`
  return system === undefined ? words : `${system}\n\n${words}`
}
