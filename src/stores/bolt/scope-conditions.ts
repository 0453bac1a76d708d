import { ownerKey, type ScopeFilter, type ScopeRule, scopeKey } from '../../model/index.ts'
import type { Parameters } from './connection.ts'
import type { Owners } from './session.ts'
import { namespacePath, type Partition, token } from './tokens.ts'

/** A condition in Cypher, with its parameters. */
export interface Condition {
  readonly text: string
  readonly parameters: Parameters
}

/** What a rule asks of the columns of a node; null leaves it open. */
interface RuleRow {
  readonly scopeId: string | null
  readonly appId: string | null
  readonly userId: string | null
  readonly agentId: string | null
  readonly sessionId: string | null
  readonly path: string | null
}

const open: RuleRow = { scopeId: null, appId: null, userId: null, agentId: null, sessionId: null, path: null }

const orOpen = (value: string | undefined) => (value === undefined ? null : token(value))

function rowOf({ type, scope }: ScopeRule, { uid }: Partition): RuleRow {
  if (type === 'exact') return { ...open, scopeId: uid(scopeKey(scope)) }
  return {
    scopeId: null,
    appId: orOpen(scope.appId),
    userId: orOpen(scope.userId),
    agentId: orOpen(scope.agentId),
    sessionId: orOpen(scope.sessionId),
    path: scope.namespace?.length ? namespacePath(scope.namespace) : null,
  }
}

/** The condition that a node with scope columns is visible: one text for every filter, so that a server plans it once. */
export function visible(node: string, filter: ScopeFilter, partition: Partition): Condition {
  const rules = filter.rules === 'all' ? [open] : filter.rules.map((rule) => rowOf(rule, partition))
  const named = (['appId', 'userId', 'agentId', 'sessionId', 'scopeId'] as const)
    .map((name) => `(rule.${name} IS NULL OR ${node}.${name} = rule.${name})`)
    .join(' AND ')
  return {
    text: `${node}.store = $store AND ANY(rule IN $rules WHERE ${named} AND (rule.path IS NULL OR rule.path IN ${node}.namespaces))`,
    parameters: { store: partition.store, rules },
  }
}

/** By what nodes are looked for, the most telling first. */
const finders = ['sessionId', 'userId', 'agentId', 'appId'] as const

/** The same for reads that look for nodes: with what an index leads to them by. */
export function found(node: string, filter: ScopeFilter, partition: Partition): Condition {
  const { text, parameters } = visible(node, filter, partition)
  if (filter.rules === 'all') return { text: `${node}.store = $store`, parameters: { store: partition.store } }
  if (filter.rules.every(({ type }) => type === 'exact'))
    return {
      text: `${node}.scopeId IN $scopeIds`,
      parameters: { scopeIds: filter.rules.map(({ scope }) => partition.uid(scopeKey(scope))) },
    }
  const scopes = filter.rules.map(({ scope }) => scope)
  const finder = finders.find((name) => scopes.every((scope) => scope[name] !== undefined))
  if (finder === undefined) return { text, parameters }
  const values = new Set(scopes.map((scope) => token(scope[finder] as string)))
  const [only] = scopes
  // Most reads: all that one user has. An equality lets an index give the order of a list, too.
  if (only !== undefined && scopes.length === 1 && Object.keys(only).length === 1)
    return {
      text: `${node}.${finder} = $finder AND ${node}.store = $store`,
      parameters: { finder: token(only[finder] as string), store: partition.store },
    }
  return { text: `${node}.${finder} IN $finder AND ${text}`, parameters: { ...parameters, finder: [...values] } }
}

/** Everybody whose records a filter may let through. */
export function ownersSeen(filter: ScopeFilter, { store, uid }: Partition): Owners {
  const all = 'MATCH (o:MnemeOwner) WHERE o.store = $ownersStore'
  const parameters = { ownersStore: store }
  if (filter.rules === 'all') return { match: all, parameters }
  const closed = ({ type, scope }: ScopeRule) =>
    type === 'exact' || (scope.appId !== undefined && scope.userId !== undefined)
  if (filter.rules.every(closed)) {
    const uids = filter.rules.map(({ scope }) => uid(ownerKey(scope)))
    return { match: 'MATCH (o:MnemeOwner) WHERE o.uid IN $ownersUids', parameters: { ownersUids: [...new Set(uids)] } }
  }
  const rules = filter.rules.map((rule) =>
    closed(rule)
      ? { uid: uid(ownerKey(rule.scope)), appId: null, userId: null }
      : { uid: null, appId: orOpen(rule.scope.appId), userId: orOpen(rule.scope.userId) },
  )
  const one =
    '(rule.uid IS NULL OR o.uid = rule.uid) AND (rule.appId IS NULL OR o.appId = rule.appId) AND (rule.userId IS NULL OR o.userId = rule.userId)'
  const users = filter.rules.flatMap(({ scope }) => orOpen(scope.userId) ?? [])
  const byUser = users.length === filter.rules.length
  return {
    match: `${all}${byUser ? ' AND o.userId IN $ownersUsers' : ''} AND ANY(rule IN $ownersRules WHERE ${one})`,
    parameters: { ...parameters, ownersRules: rules, ...(byUser ? { ownersUsers: users } : {}) },
  }
}
