import { type StoredRecord, versionConflict } from '../contract/index.ts'
import type { Judged } from '../kinds/index.ts'
import { type Scope, type ScopeFilter, scopeKey } from '../model/index.ts'
import type { Core } from './core.ts'
import { type ListAllQuery, listPages } from './listing.ts'
import { keptRemovals, removeStep } from './verbs/kept-versions.ts'
import { unstamped } from './verbs/unstamped.ts'
import type { WorkStep } from './work.ts'

/** A record without what is in it. */
export type Outline = Judged & { readonly version: number; readonly length: number }

/** All that match, in outline: so many records are judged in little memory, whatever their contents. */
export async function outlines(core: Core, scope: ScopeFilter, query: ListAllQuery): Promise<Outline[]> {
  const found: Outline[] = []
  const scopes = new Map<string, Scope>()
  for await (const page of listPages(core, scope, query, { bare: true })) {
    for (const { record } of page) {
      const { id, version, kind, status, pinned, importance, reliability, createdAt, updatedAt, expiresAt } = record
      const key = scopeKey(record.scope)
      const shared = scopes.get(key) ?? record.scope
      scopes.set(key, shared)
      found.push({
        id,
        version,
        kind,
        scope: shared,
        status,
        pinned,
        importance,
        reliability,
        createdAt,
        updatedAt: updatedAt === createdAt ? createdAt : updatedAt,
        ...(expiresAt === undefined ? {} : { expiresAt }),
        length: record.content.length,
      })
    }
  }
  return found
}

/** What becomes of a record, and why. */
export interface Retired {
  readonly id: string
  readonly version: number
  readonly archived: boolean
  readonly why: string
}

/** Steps that archive or remove the records as they were judged. @throws ConflictError VERSION_CONFLICT when one is another by now */
export async function retiringSteps(
  core: Core,
  scope: ScopeFilter,
  retired: readonly Retired[],
  signal: AbortSignal | undefined,
): Promise<WorkStep[]> {
  const read = async (some: readonly Retired[], bare: boolean) => {
    const found = await core.store.get(
      scope,
      some.map(({ id }) => id),
      { signal, bare },
    )
    return found.flatMap((before, i): [string, StoredRecord][] => (before ? [[(some[i] as Retired).id, before]] : []))
  }
  // What is archived keeps its terms and its vector.
  const kept = retired.filter(({ archived }) => archived)
  const gone = retired.filter(({ archived }) => !archived)
  const befores = new Map([...(await read(kept, false)), ...(await read(gone, true))])
  const steps = retired.map(({ id, version, archived, why }) => {
    const before = befores.get(id)
    if (before?.record.version !== version) throw versionConflict(id)
    return archived ? archiveStep(before, why) : removeStep(before, why)
  })
  const removed = gone.map(({ id }) => befores.get(id) as StoredRecord)
  return [...steps, ...(await keptRemovals(core, removed, signal))]
}

/** Away from recall, kept for audit; `restore` brings it back. */
function archiveStep(before: StoredRecord, reason: string): WorkStep {
  const after = unstamped({ ...before.record, status: 'archived' })
  return { type: 'put', op: 'archive', before, after, reason }
}
