import { z } from 'zod'
import type { StoredRecord } from '../contract/index.ts'
import {
  exactly,
  isExpired,
  type Kind,
  type MemoryRecord,
  madeOnce,
  type Scope,
  type ScopeFilter,
} from '../model/index.ts'
import type { Core } from './core.ts'
import { type ListAllQuery, listAll } from './listing.ts'
import type { Judge, PageState } from './record-page.ts'
import type { Planned } from './write-verb.ts'

export const keyField = madeOnce(() => z.string().min(1).max(512))

/** An answer that does not hold the records that it is made from; the journal wants to know them. */
export interface Made<Answer> {
  readonly from: readonly MemoryRecord[]
  readonly answer: Answer
}

/** The part of a verb whose `run` gives a `Made`. */
export const made = {
  shows: ({ from }: Made<unknown>) => from,
  present: ({ answer }: Made<unknown>) => answer,
}

/** Keyed entries of a page when the caller names no limit. */
export const defaultEntries = 100

export function isGone(core: Core, record: MemoryRecord): boolean {
  return isExpired(record, core.clock(), core.policies.lifetimes)
}

/** The live records of a key in each scope, null where there is none; expired ones too: they are hidden, not gone. */
async function holdersOf(core: Core, kind: Kind, key: string, scopes: readonly Scope[], signal?: AbortSignal) {
  return core.store.holders(
    scopes.map((scope) => ({ type: 'key', scope, kind, value: key })),
    { signal },
  )
}

/** Who holds a key in an exact scope: `taken` may be expired, `current` is not. */
export async function holderOf(
  core: Core,
  kind: Kind,
  key: string,
  scope: Scope,
  signal?: AbortSignal,
): Promise<{ readonly taken: StoredRecord | null; readonly current: StoredRecord | null }> {
  const [taken = null] = await holdersOf(core, kind, key, [scope], signal)
  return { taken, current: taken && !isGone(core, taken.record) ? taken : null }
}

/** What a key stands for in the first of the scopes that has it. */
export async function lookUp(
  core: Core,
  kind: Kind,
  key: string,
  scopes: readonly Scope[],
  signal?: AbortSignal,
): Promise<MemoryRecord | null> {
  const held = await holdersOf(core, kind, key, scopes, signal)
  return held.find((found) => found && !isGone(core, found.record))?.record ?? null
}

/** Every record of a key in an exact scope, former ones and expired ones too, oldest first. */
export function recordsOfKey(core: Core, kind: Kind, key: string, scope: Scope, signal?: AbortSignal) {
  return listAll(core, exactly(scope), { kinds: [kind], key, statuses: 'any', signal })
}

/** Every record of a key that has not expired, in the first of the scopes that has any, oldest first. */
export async function nearestOfKey(
  core: Core,
  kind: Kind,
  key: string,
  scopes: readonly Scope[],
  signal?: AbortSignal,
): Promise<readonly StoredRecord[]> {
  for (const scope of scopes) {
    const found = await recordsOfKey(core, kind, key, scope, signal)
    const there = found.filter(({ record }) => !isGone(core, record))
    if (there.length > 0) return there
  }
  return []
}

/** Takes away all that a key stood for; counts 1 when somebody could still see some of it. */
export function planRemoval(core: Core, records: readonly StoredRecord[]): Planned {
  return {
    steps: records.map((before) => ({ type: 'remove', op: 'delete', before })),
    refs: [],
    extra: records.some(({ record }) => !isGone(core, record)) ? 1 : 0,
  }
}

/** What a record is called, and how far the scope it is seen from lies: the lower, the nearer. */
export interface Called {
  readonly name: string
  readonly distance: number
}

/** Lets through what has a name; where several scopes are looked at, of each name the nearest only. */
export function nearestJudge(
  core: Core,
  filter: ScopeFilter,
  query: ListAllQuery & { readonly shared: boolean },
  called: (record: MemoryRecord) => Called | null,
): (state: PageState) => Promise<Judge> {
  return async ({ asOf, now }) => {
    const { shared, ...rest } = query
    if (!shared) return (record) => called(record) !== null
    const { lifetimes } = core.policies
    const found = await listAll(core, filter, { ...rest, now, lifetimes }, { asOf, bare: true })
    const nearest = new Map<string, { readonly id: string; readonly distance: number }>()
    for (const { record } of found) {
      const one = called(record)
      const known = one && nearest.get(one.name)
      if (one && (!known || one.distance < known.distance))
        nearest.set(one.name, { id: record.id, distance: one.distance })
    }
    const ids = new Set([...nearest.values()].map(({ id }) => id))
    return (record) => ids.has(record.id)
  }
}
