import type { AsOf, StoredRecord } from '../contract/index.ts'
import { matchesScope, type ScopeFilter, scopeKey } from '../model/index.ts'
import { type ConflictData, conflictData, conflictKind, settles } from './conflict-steps.ts'
import type { Core } from './core.ts'
import { isGone } from './keyed.ts'

export interface OpenConflict {
  readonly conflict: StoredRecord
  readonly data: ConflictData
  /** What is known now: the first side, or what took its place since. */
  readonly first: StoredRecord
  readonly second: StoredRecord
}

interface Look {
  readonly asOf?: AsOf | undefined
  readonly signal?: AbortSignal | undefined
}

/** Successors that are followed at most. */
const longest = 1000

/** What is known instead of a side that went: its newest successor. */
async function successorOf(core: Core, scope: ScopeFilter, side: StoredRecord, look: Look): Promise<StoredRecord> {
  let last = side
  for (let step = 0; step < longest && last.record.status === 'superseded'; step++) {
    const next = last.record.supersededBy
    const [found] = next === undefined ? [] : await core.store.get(scope, [next], look)
    if (!found) break
    last = found
  }
  return last
}

/** What holds the key of the side that came in: a name can stand for another value by now. */
async function holderOfKey(core: Core, { record }: StoredRecord, { asOf, signal }: Look): Promise<StoredRecord | null> {
  const { scope, kind, key } = record
  // Of a past state there is no look-up by key; the chain of successors has to do.
  if (key === undefined || asOf !== undefined) return null
  const [holder = null] = await core.store.holders([{ type: 'key', scope, kind, value: key }], { signal })
  return holder
}

/**
 * The contradictions of these that are open, judged by what their sides are now (CFL-4): the second is still in quarantine, and what
 * is known says something else. Nothing has to be kept up to date for it, so whatever happens to a side can't break it, and what is
 * undone opens it again.
 */
export async function openConflicts(
  core: Core,
  scope: ScopeFilter,
  conflicts: readonly StoredRecord[],
  look: Look,
): Promise<Map<string, OpenConflict>> {
  const live = conflicts.flatMap((conflict) => {
    const { record } = conflict
    const data = record.kind === conflictKind && record.status === 'live' ? conflictData(record) : null
    return data ? [{ conflict, data }] : []
  })
  const sides = live.flatMap(({ data }) => [data.first, data.second])
  const found = sides.length === 0 ? [] : await core.store.get(scope, sides, look)
  const open = new Map<string, OpenConflict>()
  const isThere = (side: StoredRecord | null | undefined): side is StoredRecord =>
    Boolean(side) && !isGone(core, (side as StoredRecord).record)
  for (const [i, { conflict, data }] of live.entries()) {
    const [known, second] = [found[2 * i], found[2 * i + 1]]
    if (!isThere(second) || second.record.status !== 'quarantined') continue
    if (scopeKey(second.record.scope) !== scopeKey(conflict.record.scope)) continue
    const last = known ? await successorOf(core, scope, known, look) : null
    const first = last?.record.status === 'live' ? last : await holderOfKey(core, second, look)
    if (!isThere(first) || !matchesScope(scope, first.record.scope) || settles(first.record, second.record)) continue
    open.set(conflict.record.id, { conflict, data, first, second })
  }
  return open
}
