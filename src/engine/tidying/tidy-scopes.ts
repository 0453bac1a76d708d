import type { Kind, Scope, ScopeFilter } from '../../model/index.ts'
import { scopeKey } from '../../model/index.ts'
import type { Degradation } from '../api/searching.ts'
import type { Core } from '../core.ts'
import { oneTransaction } from '../parts.ts'
import type { WorkStep } from '../work.ts'
import { chainGroups } from './chains.ts'
import { duplicateGroups } from './duplicates.ts'
import { type Asked, mergeGroups } from './merges.ts'
import { sessionGroups } from './sessions.ts'
import { type Group, type LeftAlone, type Tidied, type TidyingOptions, touchedIds } from './tidying.ts'

/** The exact scopes that hold live records of these kinds, and how many; in one order. */
async function scopesOf(core: Core, scope: ScopeFilter, kinds: readonly Kind[], signal?: AbortSignal) {
  const { counts } = await core.store.stats(
    scope,
    { now: core.clock(), lifetimes: core.policies.lifetimes },
    { signal },
  )
  const found = new Map<string, { scope: Scope; count: number }>()
  for (const { scope: exact, kind, status, count } of counts) {
    if (status !== 'live' || !kinds.includes(kind)) continue
    const key = scopeKey(exact)
    found.set(key, { scope: exact, count: count + (found.get(key)?.count ?? 0) })
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** As much of what is to be tidied as goes in one transaction. */
export interface TidyingPlan {
  readonly steps: readonly WorkStep[]
  readonly ignored: readonly LeftAlone[]
  readonly degraded: readonly Degradation[]
  readonly more: boolean
}

function lengthOf(group: Group): number {
  return group.reduce((sum, step) => sum + (step.type === 'put' ? step.after.content.length : 0), 0)
}

/** What one exact scope needs: nothing of another one is looked at. */
async function tidyScope(core: Core, scope: Scope, options: TidyingOptions, asked: Asked): Promise<Tidied> {
  const duplicates = await duplicateGroups(core, scope, options)
  const touched = touchedIds(duplicates)
  const chains = await chainGroups(core, scope, options, touched)
  for (const id of touchedIds(chains)) touched.add(id)
  const merged = await mergeGroups(core, scope, options, touched, asked)
  // Last: what has changed by then is not summed up in the same transaction.
  for (const id of touchedIds(merged.groups)) touched.add(id)
  const session = await sessionGroups(asked.down ? { ...core, model: null } : core, scope, options, touched)
  return {
    groups: [...duplicates, ...chains, ...merged.groups, ...session.groups],
    ignored: merged.ignored,
    degraded: [...merged.degraded, ...session.degraded],
  }
}

/**
 * Goes through every exact scope by itself, in one order: memories of different scopes are never brought together (CSL-1).
 * What belongs together is in one transaction, whichever.
 */
export async function tidyScopes(
  core: Core,
  scope: ScopeFilter,
  options: TidyingOptions,
  asked: Asked,
  onProgress?: (done: number, total: number) => void,
): Promise<TidyingPlan> {
  const scopes = await scopesOf(core, scope, options.kinds, options.signal)
  const total = scopes.reduce((sum, { count }) => sum + count, 0)
  const steps: WorkStep[] = []
  const ignored: LeftAlone[] = []
  const degraded: Degradation[] = []
  let done = 0
  let length = 0
  const onRead = (records: number) => {
    done += records
    onProgress?.(Math.min(done, total), total)
  }
  for (const { scope: exact } of scopes) {
    options.signal?.throwIfAborted()
    const tidied = await tidyScope(core, exact, { ...options, onRead }, asked)
    ignored.push(...tidied.ignored)
    degraded.push(...tidied.degraded)
    for (const group of tidied.groups) {
      length += lengthOf(group)
      const isFull = steps.length + group.length > oneTransaction.rows || length > oneTransaction.length
      if (isFull && steps.length > 0) return { steps, ignored, degraded, more: true }
      steps.push(...group)
    }
  }
  return { steps, ignored, degraded, more: false }
}
