import type { StoredRecord } from '../../contract/index.ts'
import { anyOf, exactly, type Scope, scopeKey, scopesSeeing } from '../../model/index.ts'
import type { Core } from '../core.ts'
import { listAll } from '../listing.ts'
import { validityWhenLive } from '../validity-when-live.ts'
import { unstamped } from '../verbs/unstamped.ts'
import type { WorkStep } from '../work.ts'
import { type SummaryData, summaryData, summaryDraft, summaryKey, summaryKind, summaryNames } from './kept-summary.ts'

/** Scopes that are looked at in one question. */
const batch = 100

/** The summaries, live or not, that may be made of memories of these scopes: kept in any scope that sees them. */
async function summariesAround(core: Core, scopes: Iterable<Scope>, signal?: AbortSignal): Promise<StoredRecord[]> {
  const around = new Map<string, Scope>()
  for (const scope of scopes) for (const one of scopesSeeing(scope)) around.set(scopeKey(one), one)
  const all = [...around.values()]
  const found: StoredRecord[] = []
  for (let i = 0; i < all.length; i += batch) {
    const some = anyOf(all.slice(i, i + batch).map(exactly))
    for (const name of summaryNames) {
      const query = { kinds: [summaryKind], key: summaryKey(name), statuses: 'any' as const, signal }
      found.push(...(await listAll(core, some, query, { bare: true })))
    }
  }
  return found
}

/** Steps that a delete does not name, and that are carried out with it. */
type Removal = WorkStep & { readonly type: 'remove' }
type Put = WorkStep & { readonly type: 'put' }

/**
 * A statement that was merged from a memory that goes, goes with it: its words are that memory's too. The others that it was merged from
 * live again. What was merged of it in turn goes the same way.
 */
async function mergedOf(core: Core, steps: readonly WorkStep[], signal?: AbortSignal): Promise<(Removal | Put)[]> {
  const touched = new Set(steps.flatMap((step) => (step.type === 'put' ? [step.after.id] : [])))
  const removed = steps.filter((step) => step.type === 'remove').map(({ before }) => before.record)
  const gone = new Set(removed.map(({ id }) => id))
  const found: (Removal | Put)[] = []
  // A statement that is removed adds to what is gone, so this goes on with it.
  for (const { id, scope, supersededBy } of removed) {
    if (supersededBy === undefined || gone.has(supersededBy) || touched.has(supersededBy)) continue
    const [merged] = await core.store.get(exactly(scope), [supersededBy], { signal, bare: true })
    const from = merged?.record.source.from ?? []
    if (!merged || merged.record.kind === summaryKind || merged.record.source.type !== 'derived' || !from.includes(id))
      continue
    gone.add(supersededBy)
    removed.push(merged.record)
    found.push({ type: 'remove', op: 'delete', before: merged, unplanned: true })
    const others = await core.store.get(exactly(scope), from, { signal })
    for (const other of others) {
      if (!other || gone.has(other.record.id) || touched.has(other.record.id)) continue
      if (other.record.status !== 'superseded' || other.record.supersededBy !== supersededBy) continue
      // What took the statement's place took theirs.
      if (merged.record.status !== 'live') continue
      const { supersededBy: _merged, validFrom: _from, validTo: _to, ...rest } = unstamped(other.record)
      const validity = await validityWhenLive(core, other, signal)
      const after = { ...rest, ...validity, status: 'live' as const }
      touched.add(other.record.id)
      found.push({ type: 'put', op: 'restore', before: other, after, unplanned: true })
    }
  }
  return found
}

/**
 * Steps that take what is removed out of merged statements and kept summaries too, former versions included: a memory that was
 * deleted does not live on in what was made of it (SUM-6, CSL-11). None when nothing is removed. A plan leaves them out: whoever applies it makes them anew.
 */
export async function withoutRemoved(
  core: Core,
  given: readonly WorkStep[],
  signal?: AbortSignal,
): Promise<WorkStep[]> {
  if (!given.some(({ type }) => type === 'remove')) return []
  const merged = await mergedOf(core, given, signal)
  const steps = [...given, ...merged]
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
  const found = await summariesAround(core, scopes.values(), signal)
  const rewritten = found.flatMap((before): WorkStep[] => {
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
    const after = summaryDraft({ id: record.id, scope: record.scope, name, expiresAt: record.expiresAt }, rest, before)
    return [removal, { type: 'put', op: 'update', before, after, unplanned: true }]
  })
  return [...merged, ...rewritten]
}
