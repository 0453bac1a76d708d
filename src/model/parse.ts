import type { z } from 'zod'
import { type ErrorCode, errorFor, InputError } from '../errors/index.ts'
import { describeIssue, fieldPath } from './describe-issue.ts'
import { hintFor, writtenAs } from './field-hints.ts'
import { reading } from './reading.ts'

/** Compiling a schema takes milliseconds and saves microseconds a value: a command of one call does without. */
const worthCompiling = 8
const uses = new WeakMap<z.ZodType, number>()

function isSeldomUsed(schema: z.ZodType): boolean {
  const before = uses.get(schema) ?? 0
  if (before >= worthCompiling) return false
  uses.set(schema, before + 1)
  return true
}

/**
 * Parses with a schema and turns the first complaint into our error, naming the field and never its value.
 * @throws InputError UNKNOWN_FIELD for a field that does not exist, else the given code in its class.
 */
export function parseWith<T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: string,
  code: ErrorCode = 'INVALID_ARGUMENT',
): T {
  // No options where there need not be any: zod copies them, and slowly.
  const result = reading(what, () => schema.safeParse(value, isSeldomUsed(schema) ? { jitless: true } : undefined))
  if (result.success) return result.data
  const { issues } = result.error
  // A misspelt field explains a missing one, so it is told first.
  const unknown = issues.map(unknownField).find((field) => field !== null)
  if (unknown) {
    const field = fieldPath(what, [...unknown.path, unknown.name])
    throw new InputError({
      code: 'UNKNOWN_FIELD',
      message: `${field}: no such field.${hintFor(unknown.name, schema, unknown.path)}`,
      details: { field },
    })
  }
  const issue = issues[0] as z.core.$ZodIssue
  const { path, message } = describeIssue(issue)
  const place = fieldPath(what, path)
  const absent = issue.code === 'invalid_type' && path.length > 0 && isAbsent(value, path) && message !== 'is missing'
  const fields = path.length > 0 && message === 'must be an object' ? writtenAs(schema, path) : ''
  throw errorFor({
    code,
    message: `${place}: ${absent ? 'is missing, ' : ''}${message}${fields}.`,
    details: { path: place },
  })
}

function isAbsent(value: unknown, path: readonly PropertyKey[]): boolean {
  const found = path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part], value)
  return found === undefined
}

function unknownField(issue: z.core.$ZodIssue): { path: readonly PropertyKey[]; name: string } | null {
  return issue.code === 'unrecognized_keys' ? { path: issue.path, name: issue.keys[0] as string } : null
}
