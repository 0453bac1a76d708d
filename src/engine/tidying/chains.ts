import type { StoredRecord } from '../../contract/index.ts'
import { isMergedKind, sameness } from '../../learning/index.ts'
import { exactly, type MemoryRecord, type Scope } from '../../model/index.ts'
import type { Core } from '../core.ts'
import { listPages } from '../listing.ts'
import { unstamped } from '../verbs/unstamped.ts'
import type { Group, TidyingOptions } from './tidying.ts'

/** What a record states, for whatever time. */
function statement({ validFrom: _from, validTo: _to, ...record }: MemoryRecord): string {
  return sameness(record)
}

/** A predecessor that says what its successor says is no former state: it is archived, and the successor holds from its beginning. */
function shortened(before: StoredRecord, successor: StoredRecord): Group {
  const { validFrom } = before.record
  const { validFrom: since } = successor.record
  const archived = {
    type: 'put',
    op: 'archive',
    before,
    after: unstamped({ ...before.record, status: 'archived' }),
    leansOn: successor,
    reason: `says what its successor ${successor.record.id} says`,
  } as const
  if (validFrom === undefined || since === undefined || validFrom >= since) return [archived]
  return [
    archived,
    {
      type: 'put',
      op: 'update',
      before: successor,
      after: unstamped({ ...successor.record, validFrom }),
      reason: `holds since its predecessor ${before.record.id}, which says the same`,
    },
  ]
}

/** Chains of supersession lose the links that changed nothing (CSL-6). All others are history and stay as they are. */
export async function chainGroups(
  core: Core,
  scope: Scope,
  options: TidyingOptions,
  touched: Set<string>,
): Promise<Group[]> {
  const { kinds, before, signal } = options
  const groups: Group[] = []
  const query = { kinds, statuses: ['superseded'] as const, now: core.clock(), signal }
  for await (const page of listPages(core, exactly(scope), query)) {
    const former = page.filter(
      ({ record }) =>
        record.supersededBy !== undefined &&
        record.trust !== 'untrusted' &&
        record.key === undefined &&
        isMergedKind(record.kind) &&
        Date.parse(record.createdAt) <= before,
    )
    if (former.length === 0) continue
    const ids = former.map(({ record }) => record.supersededBy as string)
    const successors = await core.store.get(exactly(scope), ids, { signal })
    for (const [i, one] of former.entries()) {
      const successor = successors[i]
      if (successor?.record.status !== 'live' || successor.record.supersedes !== one.record.id) continue
      if (touched.has(successor.record.id) || statement(one.record) !== statement(successor.record)) continue
      touched.add(successor.record.id)
      groups.push(shortened(one, successor))
    }
  }
  return groups
}
