import { z } from 'zod'
import { InputError } from '../errors/index.ts'
import {
  allScopes,
  anyOf,
  enclosingScopes,
  isWithin,
  madeOnce,
  matchesScope,
  parseScope,
  parseScopePart,
  parseWith,
  type Scope,
  type ScopeFilter,
  within,
  withShared,
} from '../model/index.ts'

/** What the caller of a verb may see and write: the one place where isolation is decided (SCO-3). */
export interface Access {
  /** Used when a call names no scope. */
  readonly defaultScope?: Scope | undefined
  /** Views: nothing outside it, `alsoRead` aside. */
  readonly ceiling?: Scope | undefined
  readonly alsoRead: readonly Scope[]
  readonly readOnly: boolean
}

export function contradiction(): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: 'scope and allScopes contradict each other. Give one of them.',
  })
}

export function denied(what: string): InputError {
  return new InputError({
    code: 'SCOPE_DENIED',
    message: `${what} is outside what this view may use. Use a view of that scope, or the root engine.`,
  })
}

/** A scope given to a view narrows its ceiling; a dimension that contradicts it is refused. */
function narrow(given: Scope, ceiling: Scope): Scope {
  const scope = parseScope({ ...ceiling, ...given })
  // The ceiling's namespace is a prefix: a namespace that does not start with it is a contradiction.
  if (!isWithin(scope, ceiling)) throw denied('The scope')
  return scope
}

/** The exact scope a write lands at. @throws InputError SCOPE_REQUIRED, SCOPE_DENIED */
export function writeScope(access: Access, given: unknown): Scope {
  if (access.readOnly) throw denied('Writing')
  if (access.ceiling) return given === undefined ? access.ceiling : narrow(parseScopePart(given), access.ceiling)
  return parseScope(given ?? access.defaultScope)
}

export interface ReadScope {
  readonly scope?: unknown
  readonly allScopes?: boolean | undefined
  readonly include?: 'shared' | undefined
}

/** What a read sees. @throws InputError SCOPE_REQUIRED, SCOPE_DENIED */
export function readScope(access: Access, given: ReadScope): ScopeFilter {
  if (given.allScopes) {
    if (access.ceiling) throw denied('allScopes')
    if (given.scope !== undefined) {
      throw contradiction()
    }
    return allScopes()
  }
  const shared = given.include === 'shared'
  // Read once: whatever the caller's object says the next time, this is the scope.
  const parse = access.ceiling ? parseScopePart : parseScope
  const asked = given.scope === undefined ? undefined : parse(given.scope)
  if (!access.ceiling) {
    const scope = asked ?? parseScope(access.defaultScope)
    return shared ? withShared(scope) : within(scope)
  }
  // Scopes that enclose a view's ceiling lie outside of it: only alsoRead grants those.
  if (asked === undefined) return anyOf([access.ceiling, ...access.alsoRead].map(within))
  if (access.alsoRead.some((also) => isWithin(asked, also))) return within(asked)
  const scope = narrow(asked, access.ceiling)
  return shared ? withShared(scope, access.ceiling) : within(scope)
}

/**
 * The exact scopes that a read by key looks at, nearest first: the one asked for, and with `include: 'shared'` those that
 * enclose it and those that `alsoRead` grants. @throws InputError SCOPE_REQUIRED, SCOPE_DENIED
 */
export function keyedScopes(access: Access, given: ReadScope): readonly Scope[] {
  const { ceiling, alsoRead } = access
  const asked = given.scope === undefined ? undefined : parseScopePart(given.scope)
  const granted = ceiling !== undefined && asked !== undefined && alsoRead.some((also) => isWithin(asked, also))
  const scope = ceiling && !granted ? narrow(asked ?? {}, ceiling) : parseScope(asked ?? access.defaultScope)
  if (given.include !== 'shared' || granted) return [scope]
  return [scope, ...enclosingScopes(scope, ceiling), ...alsoRead]
}

/** Where a write by id may reach: the given scope and everything finer. @throws InputError SCOPE_REQUIRED, SCOPE_DENIED */
export function reachScope(access: Access, given: unknown): ScopeFilter {
  return within(writeScope(access, given))
}

// Strict: a misspelt readOnly must not give a view that writes.
const viewSchema = madeOnce(() =>
  z.strictObject({ readOnly: z.boolean().optional(), alsoRead: z.array(z.unknown()).optional() }),
)

/** The access of a view of `scope`, never wider than the access it is made from. @throws InputError SCOPE_DENIED */
export function narrowAccess(access: Access, given: unknown, options: unknown): Access {
  const scope = parseScope(given)
  const { readOnly, alsoRead: more } = parseWith(viewSchema(), options, 'scoped')
  const alsoRead = (more ?? []).map((also, i) => parseScope(also, `alsoRead[${i}]`))
  if (access.ceiling) {
    const visible = readScope(access, {})
    if (!alsoRead.every((also) => matchesScope(visible, also))) throw denied('alsoRead')
  }
  return {
    ceiling: access.ceiling ? narrow(scope, access.ceiling) : scope,
    alsoRead,
    readOnly: access.readOnly || (readOnly ?? false),
  }
}
