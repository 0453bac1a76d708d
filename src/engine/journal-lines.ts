import type { StoreChange } from '../contract/index.ts'
import { type Scope, scopeKey } from '../model/index.ts'
import { type Access, type ReadScope, readScope } from './access.ts'
import type { Core } from './core.ts'

/** Ids by the exact scope that they are of. */
function byScope(
  touched: Iterable<{ readonly id: string; readonly scope: Scope }>,
): readonly { scope: Scope; ids: string[] }[] {
  const groups = new Map<string, { scope: Scope; ids: string[] }>()
  for (const { id, scope } of touched) {
    const key = scopeKey(scope)
    const group = groups.get(key)
    if (group) group.ids.push(id)
    else groups.set(key, { scope, ids: [id] })
  }
  return [...groups.values()]
}

/** The lines of a write, one for each exact scope that it touches: part of its transaction (JRN-1). */
export function writeLines(
  {
    verb,
    actor,
    reason,
  }: { readonly verb: string; readonly actor?: string | undefined; readonly reason?: string | undefined },
  touched: Iterable<{ readonly id: string; readonly scope: Scope }>,
): readonly StoreChange[] {
  return byScope(touched).map(({ scope, ids }) => ({
    type: 'journal',
    line: { op: 'write', verb, actor, reason, ids: [...new Set(ids)], scope },
  }))
}

interface ReadInput extends ReadScope {
  readonly reason?: string | undefined
  readonly actor?: string | undefined
}

/**
 * A read that gives a reason leaves a line, or every read where that is asked for: in the scope that it asked in; of all
 * scopes, one in each that it showed something of. Written afterwards, so that it can neither fail nor slow its answer
 * (JRN-2).
 */
export function journalRead(
  core: Core,
  access: Access,
  verb: string,
  input: ReadInput,
  shown: Iterable<{ readonly id: string; readonly scope: Scope }>,
): void {
  const { actor, reason } = input
  if (reason === undefined && core.journalReads !== 'all') return
  const { rules } = readScope(access, input)
  const [rule] = rules === 'all' ? [] : rules
  const lines = rule ? [{ scope: rule.scope, ids: Array.from(shown, ({ id }) => id) }] : byScope(shown)
  if (lines.length === 0) return
  core.background(
    core.store.commit({
      id: core.transactionIds(),
      at: core.clock(),
      verb,
      actor,
      reason,
      requires: [],
      changes: lines.map(({ scope, ids }) => ({
        type: 'journal',
        line: { op: 'read', verb, actor, reason, ids, scope },
      })),
    }),
    'a read was not journalled',
  )
}
