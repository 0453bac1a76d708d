import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { PutRecord, StoredRecord, StoredVector } from '../contract/index.ts'
import { type ConflictPolicy, keptValue } from '../kinds/index.ts'
import { judgeConflict, judgeNamed, type Side, type Verdict, whyConflict } from '../learning/index.ts'
import {
  allScopes,
  canonicalJson,
  equalJson,
  exactly,
  formatInstant,
  type JsonValue,
  type MemoryRecord,
  madeOnce,
} from '../model/index.ts'
import type { PlanStep } from './api/plan.ts'
import type { Core } from './core.ts'
import { listAll } from './listing.ts'
import type { AnswerRef } from './repeated-call.ts'
import { unstamped } from './verbs/unstamped.ts'
import type { WorkStep } from './work.ts'

/** Contradictions are records of this kind, in the exact scope of what came in (CFL-1). */
export const conflictKind = '_conflict'
/** Links a contradiction with its two sides, so that what removes a side finds it. */
const conflictLink = '_conflict'

/** Passages that one contradiction keeps: what is said again and again shows nothing new. */
const maxEvidence = 50

export const resolutions = ['first', 'second', 'both', 'neither', 'merged'] as const
export type Resolution = (typeof resolutions)[number]

const dataSchema = madeOnce(() =>
  z.strictObject({
    /** Ids: what was known, and what came in, which is quarantined. */
    first: z.string().min(1),
    second: z.string().min(1),
    reason: z.string(),
    /** Where the second was said, and when it was heard. */
    evidence: z.array(z.strictObject({ message: z.string(), quote: z.string(), at: z.string() })).max(maxEvidence),
    resolution: z.enum(resolutions).optional(),
  }),
)
export type ConflictData = z.infer<ReturnType<typeof dataSchema>>

/** What a record of a contradiction says; null for one that is damaged. */
export function conflictData({ data }: Pick<MemoryRecord, 'data'>): ConflictData | null {
  return dataSchema().safeParse(data).data ?? null
}

type Statement = Pick<PutRecord, 'kind' | 'content' | 'data'>

/** Whether both say the same. A value that was added as a text is the same as that value by its name. */
export function saysTheSame(a: Statement, b: Statement): boolean {
  if (a.kind !== b.kind) return false
  if ((a.data === undefined) !== (b.data === undefined)) return equalJson(keptValue(a), keptValue(b))
  return a.content === b.content && equalJson(a.data, b.data)
}

/** Whether nothing is left to decide beside what is known: it says what waits, or has its value under the same name. */
export function settles(known: PutRecord, waiting: PutRecord): boolean {
  if (saysTheSame(known, waiting)) return true
  const isSameName = known.key !== undefined && known.key === waiting.key && known.kind === waiting.kind
  return isSameName && known.data !== undefined && equalJson(known.data, waiting.data)
}

/** Names a contradiction, so that there is one however often it is heard: what is contradicted, by its key if it has one, and what it says. */
function nameOf(known: PutRecord, incoming: PutRecord): string {
  const about = known.key === undefined ? [known.id] : [known.kind, known.key]
  return createHash('sha256')
    .update(canonicalJson([about, incoming.kind, incoming.content, incoming.data ?? null]))
    .digest('base64url')
}

/** A side as `judgeConflict` weighs it. What it was derived from counts as confirmations. */
export function sideOf(record: PutRecord, now: number, confirmations = 1): Side {
  const { trust, confidence, validFrom, createdAt, source } = record
  const at = validFrom ?? createdAt
  return {
    trust,
    confidence,
    confirmations: Math.max(confirmations, new Set(source.from).size),
    // What is to be true from a later time on, or is dated later by a wrong clock, was not said later than now.
    at: at === undefined ? now : Math.min(Date.parse(at), now),
  }
}

/** The contradictions that have one of the records as a side, whatever their scope. */
export async function conflictsOf(core: Core, ids: readonly string[]): Promise<StoredRecord[]> {
  const around = await core.store.links(allScopes(), ids)
  const named = around.flatMap(({ from, type }) => (type === conflictLink ? [from] : []))
  if (named.length === 0) return []
  const found = await core.store.get(allScopes(), [...new Set(named)], { bare: true })
  return found.flatMap((one) => (one?.record.kind === conflictKind ? [one] : []))
}

export interface Contradiction {
  readonly known: StoredRecord
  /** The new fact with its id, as it would be if it were not contradicted. */
  readonly incoming: PutRecord
  readonly vector?: StoredVector | undefined
  /** Why they can't both be: shown by `conflicts.list`. */
  readonly reason: string
  readonly evidence?: PlanStep['evidence'] | undefined
  /** When it was said: what is said now of a time long ago is newer than what was said before. @default when it holds from, else now */
  readonly saidAt?: string | undefined
}

interface Heard {
  readonly conflict: StoredRecord
  readonly data: ConflictData
  readonly second: StoredRecord
}

/** What was heard of this contradiction before, the newest first: still open, or decided. Those whose second side is gone don't count. */
async function heardBefore(core: Core, { known, incoming }: Contradiction, signal?: AbortSignal): Promise<Heard[]> {
  const scope = exactly(incoming.scope)
  const key = nameOf(known.record, incoming)
  const found = await listAll(core, scope, { kinds: [conflictKind], key, statuses: 'any', signal })
  const heard = found.flatMap((conflict) => {
    const data = conflictData(conflict.record)
    return data ? [{ conflict, data }] : []
  })
  if (heard.length === 0) return []
  const seconds = await core.store.get(
    scope,
    heard.map(({ data }) => data.second),
    { signal },
  )
  return heard
    .flatMap((one, i) => {
      const second = seconds[i]
      return second ? [{ ...one, second }] : []
    })
    .reverse()
}

function isOpen({ conflict, second }: Heard): boolean {
  return conflict.record.status === 'live' && second.record.status === 'quarantined'
}

/** Who wins, by a policy. What was heard of the contradiction before is evidence too. `named`: the caller named what is to be replaced. */
export async function judge(
  core: Core,
  policy: ConflictPolicy,
  contradiction: Contradiction,
  { named = false, signal }: { readonly named?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<Verdict> {
  const { known, incoming, evidence = [], saidAt } = contradiction
  const now = core.clock()
  const open = policy === 'evidence' ? (await heardBefore(core, contradiction, signal)).find(isOpen) : undefined
  const heard = open
    ? Math.max(1, open.data.evidence.length) + Math.max(1, evidence.length)
    : Math.max(1, evidence.length)
  const side = sideOf(incoming, now, heard)
  const at = saidAt === undefined ? side.at : Math.max(side.at, Math.min(Date.parse(saidAt), now))
  const sides = [sideOf(known.record, now), { ...side, at }] as const
  return named ? judgeNamed(policy, ...sides) : judgeConflict(policy, ...sides)
}

/** The same, with a word on why where it is a conflict; null where the caller may go on and replace it. */
export async function contradicts(
  core: Core,
  known: StoredRecord,
  incoming: PutRecord,
  { vector, signal }: { readonly vector?: StoredVector | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<ConflictPlan | null> {
  if (known.record.status !== 'live' || saysTheSame(known.record, incoming)) return null
  const policy = core.policies.of(known.record.kind).onConflict
  const reason = whyConflict(policy, known.record.trust, incoming.trust)
  const contradiction = { known, incoming, vector, reason }
  const verdict = await judge(core, policy, contradiction, { named: true, signal })
  return verdict === 'conflict' ? conflictSteps(core, contradiction, signal) : null
}

export interface ConflictPlan {
  readonly steps: readonly WorkStep[]
  /** The quarantined record: of this write, or the one that says the same already. */
  readonly second: AnswerRef
  /** Of the contradiction. */
  readonly conflict: string
}

/**
 * Steps that keep a new fact in quarantine, where no recall shows it, and open the contradiction that names both (CFL-1). One that is
 * open already is not opened twice: what confirms it is added. One that was decided is not asked again (CFL-7).
 */
export async function conflictSteps(
  core: Core,
  contradiction: Contradiction,
  signal?: AbortSignal,
): Promise<ConflictPlan> {
  const { known, incoming, vector, reason, evidence = [] } = contradiction
  const heard = await heardBefore(core, contradiction, signal)
  const at = formatInstant(core.clock())
  const quotes = evidence.map((one) => ({ ...one, at }))
  const open = heard.find(isOpen)
  if (open)
    return {
      steps: confirmed(open, contradiction, quotes),
      second: refOf(open.second),
      conflict: open.conflict.record.id,
    }
  const decided = heard.find((one) => isDecided(one, incoming))
  if (decided) {
    return {
      steps: [{ type: 'noop', before: decided.second, reason: 'decided already', evidence }],
      second: refOf(decided.second),
      conflict: decided.conflict.record.id,
    }
  }
  const { supersedes: _supersedes, supersededBy: _by, updatedAt: _updatedAt, ...draft } = incoming
  const after: PutRecord = { ...draft, status: 'quarantined' }
  const data: ConflictData = { first: known.record.id, second: after.id, reason, evidence: quotes.slice(-maxEvidence) }
  const id = core.ids()
  const links = [data.first, data.second].map(
    (to): WorkStep => ({
      type: 'link',
      link: { from: id, to, type: conflictLink, weight: 1, metadata: {} },
      unplanned: true,
    }),
  )
  const stale = heard
    .filter(({ conflict }) => conflict.record.status === 'live')
    .map(({ conflict }) => closed(conflict))
  return {
    steps: [
      ...stale,
      { type: 'put', op: 'add', planOp: 'conflict', before: null, after, vector, reason, evidence, against: known },
      {
        type: 'put',
        op: 'add',
        before: null,
        after: conflictRecord(id, after, nameOf(known.record, incoming), data),
        unplanned: true,
      },
      ...links,
    ],
    second: { id: after.id, scope: after.scope },
    conflict: id,
  }
}

function refOf({ record: { id, scope, version } }: StoredRecord): AnswerRef {
  return { id, scope, version }
}

function conflictRecord(id: string, { scope }: PutRecord, key: string, data: ConflictData): PutRecord {
  return {
    id,
    kind: conflictKind,
    key,
    content: 'contradiction',
    data: data as JsonValue,
    scope,
    tags: [],
    metadata: {},
    importance: 0.5,
    confidence: 1,
    reliability: 1,
    source: { type: 'system' },
    trust: 'trusted',
    pinned: false,
    status: 'live',
    accessCount: 0,
  }
}

/** The step that closes a contradiction: archived, with what was decided. Without that a plan does not show it. */
export function closed(conflict: StoredRecord, resolution?: Resolution): WorkStep {
  const data = { ...(conflict.record.data as object), ...(resolution === undefined ? {} : { resolution }) } as JsonValue
  const after: PutRecord = { ...unstamped(conflict.record), status: 'archived', data }
  return { type: 'put', op: 'archive', before: conflict, after, ...(resolution ? {} : { unplanned: true }) }
}

/** What is heard again of an open contradiction adds the passages that are new. */
function confirmed(
  { conflict, data, second }: Heard,
  { known: against, incoming, evidence = [] }: Contradiction,
  quotes: ConflictData['evidence'],
): WorkStep[] {
  const noop = { type: 'noop', before: second, reason: 'the same contradiction is open', evidence } as const
  const known = new Set(data.evidence.map(({ quote }) => quote))
  const fresh = quotes.filter(({ quote }) => !known.has(quote))
  if (fresh.length === 0 || data.evidence.length >= maxEvidence) return [noop]
  const after: PutRecord = {
    ...unstamped(conflict.record),
    data: { ...data, evidence: [...data.evidence, ...fresh].slice(0, maxEvidence) } as JsonValue,
  }
  const heard = { against, after: { ...incoming, id: second.record.id } }
  return [
    { ...noop, heard },
    { type: 'put', op: 'update', before: conflict, after, unplanned: true },
  ]
}

/** Both kept: while the second lives. Turned down: unless somebody trusted says it again, who is to be asked again. */
function isDecided({ data, second }: Heard, incoming: PutRecord): boolean {
  if (data.resolution === undefined) return false
  if (data.resolution === 'both') return second.record.status === 'live'
  const turnedDown = data.resolution === 'first' || data.resolution === 'neither'
  return turnedDown && second.record.status === 'invalid' && incoming.trust !== 'trusted'
}
