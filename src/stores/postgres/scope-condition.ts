import { type Scope, type ScopeFilter, type ScopeRule, scopeKey } from '../../model/index.ts'
import { digestOf, encodeName } from './names.ts'
import type { Parameters } from './parameters.ts'

const labels = [
  ['appId', 'app'],
  ['userId', 'usr'],
  ['agentId', 'agent'],
  ['sessionId', 'session'],
] as const

/** The columns of a scope beside its key. */
export function labelsOf(scope: Scope) {
  const label = (value: string | undefined) => (value === undefined ? null : encodeName(value))
  return {
    app: label(scope.appId),
    usr: label(scope.userId),
    agent: label(scope.agentId),
    session: label(scope.sessionId),
    namespace: (scope.namespace ?? []).map(encodeName),
  }
}

function isExactly(scope: Scope, alias: string, parameters: Parameters): string {
  return `${alias}.digest = ${parameters.add(digestOf(scopeKey(scope)))}`
}

function isWithin(scope: Scope, alias: string, parameters: Parameters): string {
  const conditions = labels.flatMap(([dimension, column]) => {
    const value = scope[dimension]
    return value === undefined ? [] : [`${alias}.${column} = ${parameters.add(encodeName(value))}`]
  })
  const namespace = scope.namespace ?? []
  if (namespace.length > 0) {
    const segments = parameters.add(namespace.map(encodeName))
    conditions.push(`${alias}.namespace[1:${namespace.length}] = ${segments}::text[]`)
  }
  return conditions.length === 0 ? 'true' : `(${conditions.join(' AND ')})`
}

/** Which scopes a filter lets through: a condition on a row of `{scopes}`. Judges exactly as `matchesScope` does. */
export function scopeCondition(filter: ScopeFilter, alias: string, parameters: Parameters): string {
  if (filter.rules === 'all') return 'true'
  if (filter.rules.length === 0) return 'false'
  const rules = filter.rules.map((rule: ScopeRule) =>
    rule.type === 'exact' ? isExactly(rule.scope, alias, parameters) : isWithin(rule.scope, alias, parameters),
  )
  return `(${rules.join(' OR ')})`
}
