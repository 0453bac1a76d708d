import { createHash } from 'node:crypto'
import type { StoredRecord } from '../../contract/index.ts'
import { exactly, type MemoryRecord } from '../../model/index.ts'
import type { Core } from '../core.ts'
import type { WorkStep } from '../work.ts'

const longest = 400

/** The id of the record that keeps a version of another one: `v1:` and that one's id. */
export function keptId(id: string, version: number): string {
  const base = id.length <= longest ? id : createHash('sha256').update(id).digest('base64url')
  return `v${version}:${base}`
}

/** The id of what an edit of this record has kept last; null where its predecessor is a record of another making. */
function lastKept({ id, supersedes }: Pick<MemoryRecord, 'id' | 'supersedes'>): string | null {
  const [, version] = /^v(\d+):/.exec(supersedes ?? '') ?? []
  return version !== undefined && supersedes === keptId(id, Number(version)) ? supersedes : null
}

/** A step that takes a record away. */
export function removeStep(before: StoredRecord, reason?: string): WorkStep {
  return { type: 'remove', op: 'delete', before, ...(reason === undefined ? {} : { reason }) }
}

/** Steps that take away the versions that edits of these records have kept, but those named anyway: what removes a record removes them with it (KND-8). */
export async function keptRemovals(
  core: Core,
  records: readonly StoredRecord[],
  signal?: AbortSignal,
): Promise<WorkStep[]> {
  const seen = new Set(records.map(({ record }) => record.id))
  const found: WorkStep[] = []
  for (const { record } of records) {
    let next = lastKept(record)
    while (next !== null && !seen.has(next)) {
      seen.add(next)
      const [kept] = await core.store.get(exactly(record.scope), [next], { signal, bare: true })
      if (!kept) break
      found.push(removeStep(kept, 'a former version of what goes'))
      next = lastKept({ id: record.id, ...(kept.record.supersedes ? { supersedes: kept.record.supersedes } : {}) })
    }
  }
  return found
}
