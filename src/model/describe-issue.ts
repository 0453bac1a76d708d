import type { z } from 'zod'

type Issue = z.core.$ZodIssue

export interface Described {
  readonly path: readonly PropertyKey[]
  /** What is wrong, without the value and without a full stop. */
  readonly message: string
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/** A field as people write it: `memory.tags[2]`. */
export function fieldPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, root)
}

/** Texts that our own schemas give stand as they are. */
function isOwn(message: string): boolean {
  return !/^(Invalid|Too|Unrecognized|Number must|String must)/.test(message)
}

function bound(issue: Issue & { code: 'too_big' | 'too_small' }): string {
  const small = issue.code === 'too_small'
  const { inclusive, origin } = issue
  const limit = Number(small ? issue.minimum : issue.maximum)
  if (origin === 'string' || origin === 'array') {
    const unit = origin === 'string' ? 'characters' : 'items'
    if (small) return limit === 1 ? 'must not be empty' : `must have at least ${limit} ${unit}`
    return `must have at most ${limit} ${unit}`
  }
  if (small) return inclusive ? `must be at least ${limit}` : `must be more than ${limit}`
  return inclusive ? `must be at most ${limit}` : `must be less than ${limit}`
}

/** A union says all that it would take, where it fails at one place. */
function describeUnion(issue: Issue & { code: 'invalid_union' }): Described {
  const nested = issue.errors.flat().map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as Issue)
  const here = nested.filter((inner) => inner.path.length === issue.path.length)
  const deepest = nested.reduce<Issue | undefined>(
    (best, inner) => (best === undefined || inner.path.length > best.path.length ? inner : best),
    undefined,
  )
  if (deepest && deepest.path.length > issue.path.length) return describeIssue(deepest)
  const values = here.flatMap((inner) => (inner.code === 'invalid_value' ? inner.values.map(String) : []))
  const list = here.some((inner) => inner.code === 'invalid_type' && inner.expected === 'array')
  if (values.length === 0) return deepest ? describeIssue(deepest) : { path: issue.path, message: 'has the wrong form' }
  const choices = [...new Set(values)]
  if (choices.length === 1) return { path: issue.path, message: `must be ${choices[0]}${list ? ', or a list' : ''}` }
  return { path: issue.path, message: `must be one of ${choices.join(', ')}${list ? ', or a list of them' : ''}` }
}

/** A complaint in plain words: what the field must be, never what it was. */
export function describeIssue(issue: Issue): Described {
  const { path } = issue
  if (issue.code === 'invalid_union') return describeUnion(issue)
  if (isOwn(issue.message)) return { path, message: issue.message }
  if (issue.code === 'invalid_type') {
    const expected = String(issue.expected)
    return { path, message: expected === 'nonoptional' ? 'is missing' : `must be ${kinds[expected] ?? expected}` }
  }
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String).join(', ')
    return { path, message: `must be ${issue.values.length === 1 ? '' : 'one of '}${values}` }
  }
  if (issue.code === 'too_big' || issue.code === 'too_small') return { path, message: bound(issue) }
  return { path, message: 'has the wrong form' }
}
