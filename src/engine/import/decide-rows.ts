import type { Claim, StoredRecord } from '../../contract/index.ts'
import { mayReplace } from '../../learning/index.ts'
import { allScopes, equalJson, isWithin, type MemoryRecord, type Scope, scopeKey, within } from '../../model/index.ts'
import type { ImportRow } from '../api/portability.ts'
import type { Core } from '../core.ts'
import { mapInTurns } from '../map-in-turns.ts'
import type { PortableLine } from '../portable-lines.ts'
import { onlyOf } from '../vectors.ts'
import type { WorkStep } from '../work.ts'
import type { Row } from './read-parts.ts'

type RecordLine = PortableLine & { readonly type: 'record' }

/** What rows are decided by. */
export interface Import {
  readonly core: Core
  readonly mode?: 'merge' | 'replace' | undefined
  readonly ifExists?: 'error' | 'update' | 'skip' | undefined
  /** Undefined: every scope. */
  readonly ceiling: Scope | undefined
  readonly signal?: AbortSignal | undefined
}

/** The ids of a file: all of them, or those of the rows so far. */
export interface FileIds {
  readonly ids: Set<string>
  readonly all: boolean
}

export interface Decided {
  readonly step?: WorkStep
  readonly report: ImportRow
  /** The record that has the row's key. */
  readonly holder?: string
}

/** What the record would be, were it written over the one that is there. */
function sameRecord(existing: MemoryRecord, given: object): boolean {
  const comparable = (record: object) => {
    const {
      version: _v,
      updatedAt: _u,
      createdAt: _c,
      accessCount: _a,
      lastAccessedAt: _l,
      ...rest
    } = record as MemoryRecord
    return rest
  }
  return equalJson(comparable(existing), comparable(given))
}

function decideRecord(
  { core, mode, ifExists, ceiling }: Import,
  row: number,
  line: RecordLine,
  existing: StoredRecord | undefined,
): Decided {
  const { id, scope } = line.record
  const report = (outcome: ImportRow['outcome'], reason?: string): Decided => ({
    report: { row, id, outcome, ...(reason === undefined ? {} : { reason }) },
  })
  if (ceiling && !isWithin(scope, ceiling)) return report('failed', 'the record lies outside the scope of this call.')
  if (existing && scopeKey(existing.record.scope) !== scopeKey(scope))
    return report('failed', 'a record of another scope has this id.')
  if (existing && mode !== 'replace') {
    if (sameRecord(existing.record, line.record)) return report('skipped', 'the same record is there')
    if (ifExists === 'skip') return report('skipped', 'a record with this id is there')
    if (ifExists !== 'update')
      return report('failed', 'a record with this id is there with other content; say ifExists: update or skip.')
  }
  // Replacing all is the caller's own act; else a row is no better than where it comes from (TRU-5).
  const isTrusted = existing?.record.status === 'live' && !mayReplace(existing.record.trust, line.record.trust)
  if (isTrusted && mode !== 'replace') return report('skipped', 'it is untrusted, and what is there is trusted')
  const { version: _v, createdAt: _c, updatedAt: _u, ...draft } = line.record
  const step: WorkStep = {
    type: 'put',
    op: 'import',
    planOp: existing ? 'update' : 'add',
    before: existing ?? null,
    after: existing ? draft : line.record,
    // A vector of no use here is left: the text is embedded anew.
    vector: onlyOf(core.embedder, line.vector) ?? undefined,
  }
  return { step, report: { row, id, outcome: existing ? 'updated' : 'imported' } }
}

/** Ends of links that are there already and may be linked by this call. */
async function reachableEnds({ core, ceiling, signal }: Import, ends: Iterable<string>): Promise<ReadonlySet<string>> {
  const reach = ceiling ? within(ceiling) : allScopes()
  const found = await core.store.get(reach, [...new Set(ends)], { signal, bare: true })
  return new Set(found.flatMap((stored) => stored?.record.id ?? []))
}

/** Who else has the keys of live records, by the id of the row. */
async function keyHolders(
  { core, signal }: Import,
  lines: readonly RecordLine[],
): Promise<ReadonlyMap<string, string>> {
  const keyed = lines.filter(({ record }) => record.key !== undefined && record.status === 'live')
  const claims = keyed.map(
    ({ record: { scope, kind, key } }): Claim => ({ type: 'key', scope, kind, value: key as string }),
  )
  const found = claims.length === 0 ? [] : await core.store.holders(claims, { signal })
  return new Map(
    found.flatMap((stored, i) => {
      const { id } = (keyed[i] as RecordLine).record
      return stored && stored.record.id !== id ? [[id, stored.record.id] as const] : []
    }),
  )
}

/** What rows would do, decided one by one against what is there now. The ids of the file grow with them. */
export async function decideRows(given: Import, rows: readonly Row[], { ids, all }: FileIds): Promise<Decided[]> {
  const { core, signal } = given
  const lines = rows.flatMap(({ line }) => line ?? [])
  const records = lines.filter((line) => line.type === 'record')
  const found = await core.store.get(
    allScopes(),
    records.map(({ record }) => record.id),
    { signal },
  )
  const existing = new Map(found.flatMap((one) => (one ? [[one.record.id, one] as const] : [])))
  const ends = lines.flatMap((line) => (line.type === 'link' ? [line.link.from, line.link.to] : []))
  const linkable = await reachableEnds(
    given,
    ends.filter((id) => !ids.has(id)),
  )
  const holders = await keyHolders(given, records)
  const decide = ({ row, line, reason }: Row): Decided[] => {
    if (line === null) return [{ report: { row, outcome: 'failed', reason: reason ?? 'unreadable' } }]
    if (line.type === 'end') return []
    if (line.type === 'link') {
      // Records come before links in a file: what is not there by then is not in it.
      const { link } = line
      const reachable = [link.from, link.to].every((id) => ids.has(id) || linkable.has(id))
      return [
        reachable
          ? { step: { type: 'link', link }, report: { row, outcome: 'imported' } }
          : { report: { row, outcome: 'failed', reason: 'a link needs two records that this call may reach.' } },
      ]
    }
    const { id } = line.record
    if (!all && ids.has(id))
      return [{ report: { row, id, outcome: 'failed', reason: 'the file holds this id twice.' } }]
    if (!all) ids.add(id)
    const decided = decideRecord(given, row, line, existing.get(id))
    const holder = decided.step && holders.get(id)
    return [holder === undefined ? decided : { ...decided, holder }]
  }
  return (await mapInTurns(rows, decide, signal)).flat()
}

/** A row whose key another record has, which neither is in the file nor goes. */
export function keyIsTaken({ mode }: Import, { holder }: Decided, ids: ReadonlySet<string>): boolean {
  return holder !== undefined && mode !== 'replace' && !ids.has(holder)
}

export function withoutKey({ report: { row, id } }: Decided): Decided {
  return {
    report: {
      row,
      ...(id === undefined ? {} : { id }),
      outcome: 'failed',
      reason: 'a record that the file does not hold has this key; delete that one, or import with mode: replace.',
    },
  }
}
