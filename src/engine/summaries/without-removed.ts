import type { StoredRecord } from '../../contract/index.ts'
import { type Scope, scopeKey, scopesSeeing } from '../../model/index.ts'
import type { Core } from '../core.ts'
import type { WorkStep } from '../work.ts'
import { type SummaryData, summaryData, summaryDraft, summaryKey, summaryKind, summaryNames } from './kept-summary.ts'

/** Scopes that are looked at in one question. */
const batch = 1000

/** The kept summaries that may be made of memories of these scopes: kept in any scope that sees them. */
async function summariesAround(core: Core, scopes: Iterable<Scope>, signal?: AbortSignal): Promise<StoredRecord[]> {
  const around = new Map<string, Scope>()
  for (const scope of scopes) for (const one of scopesSeeing(scope)) around.set(scopeKey(one), one)
  const all = [...around.values()]
  const found: StoredRecord[] = []
  for (let i = 0; i < all.length; i += batch) {
    const claims = all
      .slice(i, i + batch)
      .flatMap((scope) =>
        summaryNames.map((name) => ({ type: 'key', scope, kind: summaryKind, value: summaryKey(name) }) as const),
      )
    for (const one of await core.store.holders(claims, { signal })) if (one) found.push(one)
  }
  return found
}

/**
 * Steps that take what is removed out of the kept summaries too, former versions included: a memory that was deleted does not live
 * on in what was made of it (SUM-6). None when nothing is removed. A plan leaves them out: whoever applies it makes them anew.
 */
export async function withoutRemoved(
  core: Core,
  steps: readonly WorkStep[],
  signal?: AbortSignal,
): Promise<WorkStep[]> {
  const removed = new Set<string>()
  const changed = new Set<string>()
  const scopes = new Map<string, Scope>()
  for (const step of steps) {
    if (step.type === 'put') changed.add(step.after.id)
    if (step.type !== 'remove') continue
    const { id, scope } = step.before.record
    removed.add(id)
    scopes.set(scopeKey(scope), scope)
  }
  if (removed.size === 0) return []
  const found = await summariesAround(core, scopes.values(), signal)
  return found.flatMap((before): WorkStep[] => {
    const { record } = before
    if (removed.has(record.id) || changed.has(record.id)) return []
    const gone = (id: string): boolean => removed.has(id)
    const data = summaryData(record)
    if (!(record.source.from ?? []).some(gone) && !data?.sentences.some(({ from }) => from.some(([id]) => gone(id))))
      return []
    const removal: WorkStep = { type: 'remove', op: 'delete', before, unplanned: true }
    // Of one that was written by hand nobody knows which words are whose.
    const left = data?.sentences.filter(({ from }) => !from.some(([id]) => gone(id))) ?? []
    if (!data || left.length === 0) return [removal]
    const rest: SummaryData = { ...data, sentences: left }
    const name = record.key === summaryKey('session') ? 'session' : 'profile'
    const after = summaryDraft({ id: record.id, scope: record.scope, name }, rest, before)
    return [removal, { type: 'put', op: 'update', before, after, unplanned: true }]
  })
}
