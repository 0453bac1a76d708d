import { hash } from 'node:crypto'
import type { StoredRecord } from '../../contract/index.ts'
import { isMergeable, mergeDuplicates, sameness } from '../../learning/index.ts'
import { exactly, type MemoryRecord, type Scope } from '../../model/index.ts'
import type { Core } from '../core.ts'
import { listPages } from '../listing.ts'
import { mapInTurns } from '../map-in-turns.ts'
import { unstamped } from '../verbs/unstamped.ts'
import type { WorkStep } from '../work.ts'
import { coveredBy } from './covered-by.ts'
import type { Group, TidyingOptions } from './tidying.ts'

/** Records that are read at once in full. */
const batch = 500

const digestOf = (record: MemoryRecord): string => hash('sha256', sameness(record), 'base64url')

/** Ids of an exact scope by what their records state, where more than one states it: nothing but ids and digests is kept. */
async function repeatedIds(core: Core, scope: Scope, options: TidyingOptions): Promise<string[][]> {
  const { kinds, before, signal, onRead } = options
  const byDigest = new Map<string, string[]>()
  const query = { kinds, now: core.clock(), lifetimes: core.policies.lifetimes, signal }
  for await (const page of listPages(core, exactly(scope), query, { bare: true })) {
    const note = ({ record }: StoredRecord) => {
      if (!isMergeable(record) || Date.parse(record.createdAt) > before) return
      const digest = digestOf(record)
      const known = byDigest.get(digest)
      if (known) known.push(record.id)
      else byDigest.set(digest, [record.id])
    }
    await mapInTurns(page, note, signal)
    onRead?.(page.length)
  }
  return [...byDigest.values()].filter(({ length }) => length > 1)
}

/** The steps that leave one of the records and hide the others in its favour; none when there is nothing to merge. */
function mergeSteps(core: Core, stored: readonly StoredRecord[]): WorkStep[] {
  const [first] = stored
  if (!first) return []
  const newestLivesLongest = core.policies.of(first.record.kind).ttlDays !== undefined
  const merged = mergeDuplicates(
    stored.map(({ record }) => record),
    { newestLivesLongest },
  )
  if (!merged) return []
  const storedOf = new Map(stored.map((one) => [one.record.id, one]))
  const keeper = storedOf.get(merged.keeper.id) as StoredRecord
  const kept: WorkStep[] =
    merged.after === merged.keeper
      ? []
      : [
          {
            type: 'put',
            op: 'update',
            before: keeper,
            after: unstamped(merged.after),
            reason: `stands for ${merged.losers.length} more that say the same`,
          },
        ]
  const reason = `says the same as ${keeper.record.id}`
  const covered = merged.losers.map(
    ({ id }): WorkStep => ({
      ...coveredBy(storedOf.get(id) as StoredRecord, keeper.record.id, reason),
      leansOn: keeper,
    }),
  )
  return [...kept, ...covered]
}

/** One memory that was said more than once in an exact scope is said once (CSL-3). */
export async function duplicateGroups(core: Core, scope: Scope, options: TidyingOptions): Promise<Group[]> {
  const groups: Group[] = []
  const found = await repeatedIds(core, scope, options)
  let some: string[][] = []
  const merge = async () => {
    const read = await core.store.get(exactly(scope), some.flat(), { signal: options.signal })
    let place = 0
    for (const ids of some) {
      const stored = read.slice(place, place + ids.length).filter((one) => one !== null)
      place += ids.length
      // Read again since they were compared: only what still states the same is merged.
      const [digest] = stored.map(({ record }) => digestOf(record))
      const same = stored.filter(({ record }) => isMergeable(record) && digestOf(record) === digest)
      const steps = mergeSteps(core, same)
      if (steps.length > 0) groups.push(steps)
    }
    some = []
  }
  for (const ids of found) {
    some.push(ids)
    if (some.length >= batch) await merge()
  }
  if (some.length > 0) await merge()
  return groups
}
