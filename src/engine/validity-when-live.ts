import type { StoredRecord } from '../contract/index.ts'
import { exactly, type MemoryRecord } from '../model/index.ts'
import type { Core } from './core.ts'

/** When the record was valid while it was last live: a bound that only hiding it added goes again. */
export async function validityWhenLive(
  core: Core,
  { record }: StoredRecord,
  signal?: AbortSignal,
): Promise<Pick<MemoryRecord, 'validFrom' | 'validTo'>> {
  const revisions = await core.store.revisions(exactly(record.scope), record.id, { signal })
  const live = revisions.findLast((revision) => revision.record?.status === 'live')?.record
  const { validFrom, validTo } = live ?? record
  return { ...(validFrom === undefined ? {} : { validFrom }), ...(validTo === undefined ? {} : { validTo }) }
}
