import { z } from 'zod'
import { parseWith } from '../model/index.ts'

/** Options of a call, copied; their values are for whoever takes them to check. @throws InputError UNKNOWN_FIELD */
export function checkedOptions<Options extends object>(
  what: string,
  options: Options | undefined,
  fields: readonly (keyof Options & string)[],
): Options {
  const schema = z.strictObject(Object.fromEntries(fields.map((field) => [field, z.unknown().optional()])))
  return parseWith(schema, options === undefined ? {} : options, what) as Options
}
