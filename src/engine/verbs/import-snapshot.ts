import { createHash } from 'node:crypto'
import type { StoredRecord } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { allScopes, exactly, isExpired, type Scope, scopeKey } from '../../model/index.ts'
import {
  type ApolliaRead,
  apolliaKinds,
  placed,
  recordOfRow,
  rowsOfSnapshot,
  snapshotReader,
  stableId,
} from '../../transfer/index.ts'
import type { ImportRow } from '../api/portability.ts'
import { refuseRows } from '../import/answer-rows.ts'
import type { Lines } from '../import/lines.ts'
import { isGone } from '../keyed.ts'
import { listAll } from '../listing.ts'
import { mapInTurns } from '../map-in-turns.ts'
import type { Call } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import type { Planned } from '../write-verb.ts'

interface Input {
  readonly mode?: 'merge' | 'replace' | undefined
  readonly dryRun?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** A row that can be used. */
type Usable = ApolliaRead & { readonly draft: NonNullable<ApolliaRead['draft']> }

export function wholeStore(): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: 'apollia-1: a snapshot is of one scope, so allScopes has no meaning for it. Name the scope.',
  })
}

export function leftAlone(): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message:
      "ifExists: a snapshot leaves alone what is there. Say skip, or mode: 'replace' to take all of it away first.",
    details: { field: 'ifExists' },
  })
}

/** The rows of a snapshot, each read and checked by itself. */
export async function readSnapshot(
  { core }: Call,
  source: Lines,
  { signal }: Input,
  scope: Scope,
): Promise<{ readonly reads: readonly ApolliaRead[]; readonly digest: string }> {
  const lines: string[] = []
  for await (const some of source.read()) {
    signal?.throwIfAborted()
    for (const line of some) lines.push(line)
  }
  const text = lines.join('\n').replace(/^\uFEFF/, '')
  const digest = createHash('sha256').update(text).digest('base64url')
  const reads = await mapInTurns(rowsOfSnapshot(text), snapshotReader(scope, core.clock()), signal)
  return { reads: placed(reads), digest }
}

/** Whether another scope holds the id, or held it: an id stays in its scope for ever. */
async function isElsewhere({ core }: Call, id: string, found: StoredRecord | undefined, scope: Scope) {
  if (found) return scopeKey(found.record.scope) !== scopeKey(scope)
  if ((await core.store.revisions(allScopes(), id)).length === 0) return false
  return (await core.store.revisions(exactly(scope), id)).length === 0
}

async function recordsById({ core }: Call, ids: readonly string[], signal?: AbortSignal) {
  const found = await core.store.get(allScopes(), ids, { signal })
  return new Map(found.flatMap((one) => (one ? [[one.record.id, one] as const] : [])))
}

/** The ids that rows get, their own, or where another scope has it one that is the same every time; and what has them. */
async function idsFor(call: Call, reads: readonly Usable[], scope: Scope, signal?: AbortSignal) {
  const given = [...new Set(reads.map(({ id }) => id))]
  const existing = await recordsById(call, given, signal)
  const ids = new Map<string, string>()
  for (const id of given) {
    signal?.throwIfAborted()
    ids.set(id, (await isElsewhere(call, id, existing.get(id), scope)) ? stableId(scope, id) : id)
  }
  const changed = [...ids].flatMap(([id, other]) => (id === other ? [] : [other]))
  for (const [id, found] of await recordsById(call, changed, signal)) existing.set(id, found)
  return { ids, existing }
}

/** Who has the names of the rows in the scope: facts and procedures are known by name. */
async function holders({ core }: Call, reads: readonly Usable[], scope: Scope, signal?: AbortSignal) {
  const claims = reads.flatMap(({ draft: { kind, key } }) =>
    key === undefined ? [] : [{ type: 'key' as const, scope, kind, value: key }],
  )
  const held = await core.store.holders(claims, { signal })
  return new Map(
    claims.flatMap(({ kind, value }, i) => {
      const holder = held[i]
      return holder ? [[JSON.stringify([kind, value]), holder] as const] : []
    }),
  )
}

interface There {
  readonly ids: ReadonlyMap<string, string>
  readonly existing: ReadonlyMap<string, StoredRecord>
  readonly names: ReadonlyMap<string, StoredRecord>
}

interface Outcome {
  readonly steps: readonly WorkStep[]
  readonly report: ImportRow
}

/** What a usable row does, judged against what is there: an id or a name that is there is left alone, unless all is replaced. */
function decide(call: Call, read: Usable, there: There, given: Input): Outcome {
  const { draft, row } = read
  const id = there.ids.get(read.id) as string
  const report = (outcome: ImportRow['outcome'], reason?: string): ImportRow => ({
    row,
    id,
    outcome,
    ...(reason === undefined ? {} : { reason }),
  })
  const { core } = call
  const record = recordOfRow(read, id)
  if (isExpired(record, core.clock(), core.policies.lifetimes))
    return { steps: [], report: report('skipped', 'it has expired') }
  const before = there.existing.get(id) ?? null
  if (given.mode === 'replace') {
    if (before && before.record.kind !== draft.kind)
      return { steps: [], report: report('failed', 'a memory of another kind has this id.') }
    const step: WorkStep = { type: 'put', op: 'import', planOp: before ? 'update' : 'add', before, after: record }
    return { steps: [step], report: report(before ? 'updated' : 'imported') }
  }
  if (before) return { steps: [], report: report('skipped', 'a memory with this id is there') }
  const holder = there.names.get(JSON.stringify([draft.kind, draft.key]))
  if (holder && !isGone(core, holder.record)) return { steps: [], report: report('skipped', 'its name is taken') }
  const put: WorkStep = { type: 'put', op: 'import', planOp: 'add', before: null, after: record }
  // A name whose holder has expired is free: what nobody can see any more makes room.
  const steps: WorkStep[] = holder ? [{ type: 'remove', op: 'delete', before: holder }, put] : [put]
  return { steps, report: report('imported') }
}

/** Ids and names that the snapshot has twice. */
function repeated(read: Usable, seen: Set<string>): string | null {
  const { kind, key } = read.draft
  const name = JSON.stringify([kind, key])
  const twice = seen.has(read.id) ? 'id' : key !== undefined && seen.has(name) ? 'key' : null
  seen.add(read.id)
  if (key !== undefined) seen.add(name)
  return twice && `the snapshot holds this ${twice} twice.`
}

async function removals({ core }: Call, kept: ReadonlySet<string>, scope: Scope, signal?: AbortSignal) {
  const held = await listAll(core, exactly(scope), { kinds: apolliaKinds, statuses: 'any', signal })
  return held
    .filter(({ record }) => !kept.has(record.id))
    .map((before): WorkStep => ({ type: 'remove', op: 'delete', before }))
}

/** Writes the rows into the scope, whatever namespace they came from (SNP-3). */
export async function planSnapshot(
  call: Call,
  reads: readonly ApolliaRead[],
  given: Input,
  scope: Scope,
): Promise<Planned> {
  const { signal } = given
  const usable = reads.filter((read): read is Usable => read.draft !== null)
  const names = await holders(call, usable, scope, signal)
  const there: There = { ...(await idsFor(call, usable, scope, signal)), names }
  const seen = new Set<string>()
  const judge = (read: ApolliaRead): Outcome => {
    const { row, reason } = read
    if (read.draft === null) {
      const outcome = read.empty ? 'skipped' : 'failed'
      return { steps: [], report: { row, id: read.id, outcome, ...(reason === undefined ? {} : { reason }) } }
    }
    const twice = repeated(read as Usable, seen)
    if (twice) return { steps: [], report: { row, id: read.id, outcome: 'failed', reason: twice } }
    return decide(call, read as Usable, there, given)
  }
  const outcomes = await mapInTurns(reads, judge, signal)
  const reports = outcomes.map(({ report }) => report)
  const failed = reports.filter(({ outcome }) => outcome === 'failed')
  if (failed.length > 0 && !given.dryRun) throw refuseRows(failed)
  const steps = outcomes.flatMap((outcome) => outcome.steps)
  const put = new Set(steps.flatMap((step) => (step.type === 'put' ? [step.after.id] : [])))
  const gone = given.mode === 'replace' ? await removals(call, put, scope, signal) : []
  return { steps: [...gone, ...steps], refs: [], extra: reports.map((report) => ({ ...report })) }
}
