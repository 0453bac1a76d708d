import type { z } from 'zod'
import { type ErrorCode, InputError } from '../errors/index.ts'

function fieldPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, root)
}

/** The deepest, most specific complaint: in a union, that of the branch that got furthest. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.flat().map((nested) => deepest({ ...nested, path: [...issue.path, ...nested.path] }))
  return inner.sort((a, b) => b.path.length - a.path.length)[0] ?? issue
}

/**
 * Parses with a schema and turns the first complaint into our error, naming the field and never its value.
 * @throws InputError UNKNOWN_FIELD for a field that does not exist, else the given code.
 */
export function parseWith<T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: string,
  code: ErrorCode = 'INVALID_ARGUMENT',
): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = deepest(result.error.issues[0] as z.core.$ZodIssue)
  if (issue.code === 'unrecognized_keys') {
    const field = fieldPath(what, [...issue.path, issue.keys[0] as string])
    throw new InputError({
      code: 'UNKNOWN_FIELD',
      message: `${field}: no such field. Check the spelling; nothing was written.`,
      details: { field },
    })
  }
  const path = fieldPath(what, issue.path)
  throw new InputError({ code, message: `${path}: ${issue.message}.`, details: { path } })
}
