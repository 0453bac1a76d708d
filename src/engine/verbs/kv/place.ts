import { z } from 'zod'
import { madeOnce, parseScope, parseScopePart, type Scope } from '../../../model/index.ts'

export const namespaceField = madeOnce(() => z.array(z.string()))

/** The namespace as given, checked. @throws InputError INVALID_SCOPE */
export function parseNamespace(namespace: readonly string[]): readonly string[] {
  return parseScopePart({ namespace }, 'kv').namespace ?? []
}

/** Where the entries of a namespace lie: the scope with these segments after its own. @throws InputError INVALID_SCOPE */
export function placeIn(scope: Scope, namespace: readonly string[]): Scope {
  return parseScope({ ...scope, namespace: [...(scope.namespace ?? []), ...parseNamespace(namespace)] })
}

function sameOwner(a: Scope, b: Scope): boolean {
  return (['appId', 'userId', 'agentId', 'sessionId'] as const).every((dimension) => a[dimension] === b[dimension])
}

/** The namespace that an entry of `place` has in a scope; null when it is of another scope. */
export function namespaceIn(scope: Scope, place: Scope): readonly string[] | null {
  const { namespace: own = [] } = scope
  const { namespace = [] } = place
  if (!sameOwner(scope, place) || !own.every((segment, i) => segment === namespace[i])) return null
  return namespace.slice(own.length)
}
