import { InputError } from '../errors/index.ts'
import { reading } from './reading.ts'

/** Who and what a memory belongs to. Values are compared exactly; at least one dimension must be set. */
export interface Scope {
  readonly appId?: string
  readonly userId?: string
  readonly agentId?: string
  readonly sessionId?: string
  /** Outermost segment first; compared segment by segment. */
  readonly namespace?: readonly string[]
}

const dimensions = ['appId', 'userId', 'agentId', 'sessionId'] as const
const known: ReadonlySet<string> = new Set([...dimensions, 'namespace'])
/** Longest value of one dimension, in UTF-16 units. */
export const maxScopeValueLength = 16_384
const maxNamespaceSegments = 64

declare const filterBrand: unique symbol

/** Which records one rule lets a read see. */
export type ScopeRule =
  /** The scope and everything finer. */
  | { readonly type: 'within'; readonly scope: Scope }
  /** The scope itself only. */
  | { readonly type: 'exact'; readonly scope: Scope }

/** What a read may see: records that any rule lets through. Only the functions of this file make one (SCO-1). */
export interface ScopeFilter {
  readonly rules: 'all' | readonly ScopeRule[]
  readonly [filterBrand]: true
}

function refuse(path: string, why: string): InputError {
  return new InputError({ code: 'INVALID_SCOPE', message: `${path}: ${why}.`, details: { path } })
}

function parseLabel(value: unknown, path: string): string {
  if (typeof value !== 'string') throw refuse(path, 'must be a string')
  if (value === '') throw refuse(path, 'must not be empty; leave it out instead')
  if (value.length > maxScopeValueLength) throw refuse(path, `longer than ${maxScopeValueLength} characters`)
  return value
}

/**
 * A checked copy of a scope with its dimensions in one order.
 * @throws InputError SCOPE_REQUIRED when nothing is set, INVALID_SCOPE for a bad value, UNKNOWN_FIELD for a dimension that does not exist.
 */
export function parseScope(value: unknown, path = 'scope'): Scope {
  if (value === undefined || value === null) throw scopeRequired()
  const scope = parseScopePart(value, path)
  if (Object.keys(scope).length === 0) throw scopeRequired()
  return scope
}

/** The same for a scope that narrows another one and may set nothing. @throws InputError INVALID_SCOPE, UNKNOWN_FIELD */
export function parseScopePart(value: unknown, path = 'scope'): Scope {
  return reading(path, () => readScope(value, path))
}

function readScope(value: unknown, path: string): Scope {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse(path, 'must be an object such as { userId: "ann" }')
  for (const key of Object.keys(value)) {
    if (!known.has(key)) {
      throw new InputError({
        code: 'UNKNOWN_FIELD',
        message: `${path}.${key}: no such dimension. A scope has appId, userId, agentId, sessionId and namespace.`,
        details: { field: `${path}.${key}` },
      })
    }
  }
  const given = value as Record<string, unknown>
  const scope: Record<string, string | readonly string[]> = {}
  for (const dimension of dimensions) {
    if (given[dimension] !== undefined) scope[dimension] = parseLabel(given[dimension], `${path}.${dimension}`)
  }
  if (given.namespace !== undefined) {
    const segments = given.namespace
    if (!Array.isArray(segments)) throw refuse(`${path}.namespace`, 'must be an array of strings, outermost first')
    if (segments.length > maxNamespaceSegments)
      throw refuse(`${path}.namespace`, `more than ${maxNamespaceSegments} segments`)
    // Array.from and not map: a hole in the array is refused too.
    const parsed = Array.from(segments, (segment, i) => parseLabel(segment, `${path}.namespace[${i}]`))
    if (parsed.length > 0) scope.namespace = parsed
  }
  return scope as Scope
}

function scopeRequired(): InputError {
  return new InputError({
    code: 'SCOPE_REQUIRED',
    message: 'No scope given. Pass { scope: { userId: … } } with the call, or a default scope to openMemory.',
  })
}

/** A string that is equal for equal scopes and for no others; safe for any characters. */
export function scopeKey(scope: Scope): string {
  return JSON.stringify([
    scope.appId ?? null,
    scope.userId ?? null,
    scope.agentId ?? null,
    scope.sessionId ?? null,
    ...(scope.namespace ?? []),
  ])
}

/** The scope a key was made from. */
export function scopeFromKey(key: string): Scope {
  const [appId, userId, agentId, sessionId, ...namespace] = JSON.parse(key) as [
    string | null,
    string | null,
    string | null,
    string | null,
    ...string[],
  ]
  return {
    ...(appId === null ? {} : { appId }),
    ...(userId === null ? {} : { userId }),
    ...(agentId === null ? {} : { agentId }),
    ...(sessionId === null ? {} : { sessionId }),
    ...(namespace.length === 0 ? {} : { namespace }),
  }
}

/** The unit of commit order, journal chains and erasure: equal for scopes of one application's user. */
export function ownerKey(scope: Scope): string {
  return JSON.stringify([scope.appId ?? null, scope.userId ?? null])
}

/** What an owner's scopes have in common, from the owner's key. */
export function ownerFromKey(key: string): Scope {
  const [appId, userId] = JSON.parse(key) as [string | null, string | null]
  return { ...(appId === null ? {} : { appId }), ...(userId === null ? {} : { userId }) }
}

function isPrefix(prefix: readonly string[], of: readonly string[]): boolean {
  return prefix.length <= of.length && prefix.every((segment, i) => segment === of[i])
}

/** True when `inner` is `outer` or finer: every dimension that `outer` sets is equal, and its namespace is a prefix. */
export function isWithin(inner: Scope, outer: Scope): boolean {
  return (
    dimensions.every((dimension) => outer[dimension] === undefined || outer[dimension] === inner[dimension]) &&
    isPrefix(outer.namespace ?? [], inner.namespace ?? [])
  )
}

/** The scope and everything finer. */
export function within(scope: Scope): ScopeFilter {
  return { rules: [{ type: 'within', scope }] } as unknown as ScopeFilter
}

/** Exactly this scope. */
export function exactly(scope: Scope): ScopeFilter {
  return { rules: [{ type: 'exact', scope }] } as unknown as ScopeFilter
}

/**
 * The coarser scopes of the same owner that enclose a scope, itself left out: every other dimension absent or equal,
 * the namespace a prefix. Nearest first: whatever sets more is nearer, of equals what keeps the session. With a
 * ceiling, only those inside of it.
 */
export function enclosingScopes(scope: Scope, ceiling?: Scope): Scope[] {
  const { agentId, sessionId, namespace = [], ...owner } = scope
  const found: Scope[] = []
  for (const session of sessionId === undefined ? [{}] : [{ sessionId }, {}]) {
    for (const agent of agentId === undefined ? [{}] : [{ agentId }, {}]) {
      for (let length = namespace.length; length >= 0; length--) {
        const segments = length === 0 ? {} : { namespace: namespace.slice(0, length) }
        found.push({ ...owner, ...agent, ...session, ...segments })
      }
    }
  }
  // The first is the scope itself; one with nothing set is no scope.
  return found
    .slice(1)
    .filter((outer) => Object.keys(outer).length > 0 && (ceiling === undefined || isWithin(outer, ceiling)))
    .sort((a, b) => scopeDepth(b) - scopeDepth(a))
}

/** Every scope whose reads see what is in this one: itself, and whatever leaves some of it open. */
export function scopesSeeing({ namespace = [], ...labels }: Scope): Scope[] {
  let found: Scope[] = [{}]
  for (const [dimension, value] of Object.entries(labels))
    found = found.flatMap((scope) => [scope, { ...scope, [dimension]: value }])
  return Array.from({ length: namespace.length + 1 }, (_, length) =>
    found.map((scope) => (length === 0 ? scope : { ...scope, namespace: namespace.slice(0, length) })),
  )
    .flat()
    .filter((scope) => Object.keys(scope).length > 0)
}

/**
 * The scope, everything finer, and the coarser scopes of the same owner that enclose it (`include: 'shared'`).
 * With a ceiling, only enclosing scopes inside of it.
 */
export function withShared(scope: Scope, ceiling?: Scope): ScopeFilter {
  return {
    rules: [
      { type: 'within', scope },
      ...enclosingScopes(scope, ceiling).map((outer) => ({ type: 'exact', scope: outer })),
    ],
  } as unknown as ScopeFilter
}

/** Every scope of the store: for the root engine's maintenance only. */
export function allScopes(): ScopeFilter {
  return { rules: 'all' } as unknown as ScopeFilter
}

/** What any of the filters lets through. */
export function anyOf(filters: readonly ScopeFilter[]): ScopeFilter {
  if (filters.some((filter) => filter.rules === 'all')) return allScopes()
  return { rules: filters.flatMap((filter) => filter.rules as readonly ScopeRule[]) } as unknown as ScopeFilter
}

/** Of what a filter lets through, what is of one session. */
export function inSession(filter: ScopeFilter, sessionId: string): ScopeFilter {
  const rules: readonly ScopeRule[] = filter.rules === 'all' ? [{ type: 'within', scope: {} }] : filter.rules
  const narrowed = rules.flatMap((rule): ScopeRule[] => {
    if (rule.scope.sessionId === sessionId) return [rule]
    if (rule.scope.sessionId !== undefined || rule.type === 'exact') return []
    return [{ type: 'within', scope: parseScope({ ...rule.scope, sessionId }) }]
  })
  return { rules: narrowed } as unknown as ScopeFilter
}

/** The one evaluator of scopes: every read of every store is checked with it (SCO-2). */
export function matchesScope(filter: ScopeFilter, scope: Scope): boolean {
  if (filter.rules === 'all') return true
  return filter.rules.some((rule) => {
    if (rule.type === 'within') return isWithin(scope, rule.scope)
    return scopeKey(scope) === scopeKey(rule.scope)
  })
}

/** How many dimensions and segments a scope sets: the nearest of several enclosing scopes has the most. */
export function scopeDepth(scope: Scope): number {
  return dimensions.filter((dimension) => scope[dimension] !== undefined).length + (scope.namespace?.length ?? 0)
}
