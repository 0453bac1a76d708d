import type { Cursor, Precondition, PutRecord, StoreChange, StoredRecord, StoredVector } from '../contract/index.ts'
import { MnemeError } from '../errors/index.ts'
import {
  type JsonValue,
  type Link,
  type MemoryRecord,
  type RecordDraft,
  type RevisionOp,
  type Scope,
  scopeKey,
} from '../model/index.ts'
import { analyse, contentHash, isSearched, sameText, textToEmbed } from './analysis.ts'
import type { PlanStep } from './api/plan.ts'
import type { Degradation } from './api/searching.ts'
import type { Core } from './core.ts'
import { writeLines } from './journal-lines.ts'
import { mapInTurns } from './map-in-turns.ts'
import { embedderDegradation, embedTexts, onlyOf } from './vectors.ts'

const idempotencyDays = 7
const dayMs = 86_400_000

/**
 * One step of a write, before it is written. A dry run shows it as a plan step, `commitWork` carries it out:
 * whatever can be previewed is done by the same code.
 */
export type WorkStep =
  | {
      readonly type: 'put'
      readonly op: RevisionOp
      /** What a plan calls it, where that is not the revision's own name. */
      readonly planOp?: PlanStep['op']
      readonly before: StoredRecord | null
      readonly after: PutRecord
      readonly vector?: StoredVector | undefined
      /** `contentHash` of `after`, where it was made already. */
      readonly hash?: string | null
      /** Refuse when a live record has the same content by now. */
      readonly unique?: boolean
      readonly reason?: string
      /** What a plan shows of where it comes from. */
      readonly evidence?: PlanStep['evidence']
      /** What it contradicts: a plan shows it as what was there before, and the write is refused when it has changed. */
      readonly against?: StoredRecord
      /** What the step leans on without changing it: the write is refused when it has changed. */
      readonly leansOn?: StoredRecord
      /** Bookkeeping of another step, which a plan leaves out: applying makes it anew. */
      readonly unplanned?: true
    }
  | {
      readonly type: 'remove'
      readonly op: 'delete' | 'undo'
      readonly before: StoredRecord
      readonly reason?: string
      readonly unplanned?: true
    }
  | { readonly type: 'link'; readonly link: Link; readonly unplanned?: true }
  | { readonly type: 'unlink'; readonly link: Link }
  | {
      readonly type: 'noop'
      readonly before: StoredRecord
      readonly reason: string
      readonly evidence?: PlanStep['evidence']
      /** A contradiction that waits already was heard again: a plan shows it as one, for `apply` to add what speaks for it. */
      readonly heard?: { readonly against: StoredRecord; readonly after: PutRecord }
    }

export interface Work {
  readonly verb: string
  readonly steps: readonly WorkStep[]
  /** Of the transaction. @default a new one */
  readonly tx?: string | undefined
  /** Records whose keys may be taken over although their holders stay as they are for now. */
  readonly releases?: readonly Pick<RecordDraft, 'scope' | 'kind' | 'key'>[] | undefined
  /** Of the call, for the journal lines of links. */
  readonly scope?: Scope | undefined
  readonly actor?: string | undefined
  readonly reason?: string | undefined
  readonly idempotency?: { readonly scope: Scope; readonly key: string; readonly digest: string } | undefined
  /** Content-free: what a repeated call is answered from. */
  readonly result?: JsonValue | undefined
  readonly signal?: AbortSignal | undefined
  /** Hears how many of the texts are embedded. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

export interface Committed {
  readonly tx: string
  /** The idempotency key was used before: nothing was written. */
  readonly replayed: boolean
  readonly at: number
  /** The records as put. */
  readonly records: readonly MemoryRecord[]
  /** False: a layer took it that may lose it, while the durable one is away. */
  readonly durable: boolean
  /** What could not be done now and is made up for later. */
  readonly degraded: readonly Degradation[]
}

interface EmbeddingFailure {
  readonly ids: readonly string[]
  readonly error: unknown
  readonly degraded: Degradation
}

/** The vectors of the steps whose text is new; null where the embedder failed: those records wait for theirs. */
async function vectorsFor(
  core: Core,
  puts: readonly (WorkStep & { type: 'put' })[],
  { signal, onProgress }: Work,
): Promise<{ readonly vectors: ReadonlyMap<string, StoredVector>; readonly failure?: EmbeddingFailure }> {
  const vectors = new Map<string, StoredVector>()
  const missing: RecordDraft[] = []
  const sort = (put: WorkStep & { type: 'put' }) => {
    const kept = put.before && sameText(put.before.record, put.after) ? put.before.vector : null
    const vector = put.vector ?? onlyOf(core.embedder, kept)
    if (vector) vectors.set(put.after.id, vector)
    else if (isSearched(put.after)) missing.push(put.after)
  }
  await mapInTurns(puts, sort, signal)
  if (!core.embedder || missing.length === 0) return { vectors }
  try {
    const texts = await mapInTurns(missing, textToEmbed, signal)
    const made = await embedTexts(core.embedder, texts, { purpose: 'document', signal, onProgress })
    missing.forEach((draft, i) => {
      vectors.set(draft.id, made[i] as StoredVector)
    })
    core.pending.worked()
    return { vectors }
  } catch (error) {
    signal?.throwIfAborted()
    // The write must not fail because the embedder does: text search finds the records at once, `pending` lists them.
    return {
      vectors,
      failure: { ids: missing.map((draft) => draft.id), error, degraded: embedderDegradation(core.embedder, error) },
    }
  }
}

/** Keys that a step of the work takes from the live record that holds them: a successor may take them over. */
function releasedKeys({ steps, releases = [] }: Work): ReadonlySet<string> {
  const released = steps.flatMap((step) => {
    if (step.type !== 'put' && step.type !== 'remove') return []
    const before = step.before?.record
    if (before?.status !== 'live' || before.key === undefined) return []
    const kept = step.type === 'put' && step.after.status === 'live' && step.after.key === before.key
    return kept ? [] : [holderKey(before)]
  })
  return new Set([...released, ...releases.map(holderKey)])
}

function holderKey(record: Pick<RecordDraft, 'scope' | 'kind' | 'key'>): string {
  return JSON.stringify([scopeKey(record.scope), record.kind, record.key])
}

/** The digest of what a put says; null where it holds none. */
export function hashOf({ hash, after }: WorkStep & { type: 'put' }): string | null {
  return hash === undefined ? contentHash(after) : hash
}

/** A step that is carried out. */
type Deed = Exclude<WorkStep, { readonly type: 'noop' }>

function requirementsOf(step: Deed, released: ReadonlySet<string>): Precondition[] {
  if (step.type === 'link' || step.type === 'unlink') return []
  const version: Precondition = {
    type: 'version',
    id: step.type === 'put' ? step.after.id : step.before.record.id,
    is: step.before?.record.version ?? null,
  }
  if (step.type !== 'put') return [version]
  const requires: Precondition[] = [version]
  for (const other of [step.against, step.leansOn])
    if (other) requires.push({ type: 'version', id: other.record.id, is: other.record.version })
  if (step.after.status !== 'live') return requires
  const { scope, kind, key } = step.after
  const holdsKey = step.before?.record.status === 'live' && step.before.record.key === key
  if (key !== undefined && !holdsKey && !released.has(holderKey(step.after)))
    requires.push({ type: 'noKey', scope, kind, key })
  const hash = step.unique ? hashOf(step) : null
  if (hash !== null) requires.push({ type: 'noContent', scope, kind, hash })
  return requires
}

function changeOf(core: Core, step: Deed, vectors: ReadonlyMap<string, StoredVector>): StoreChange {
  switch (step.type) {
    case 'put':
      return {
        type: 'put',
        op: step.op,
        record: step.after,
        hash: hashOf(step),
        analysis:
          step.before && sameText(step.before.record, step.after)
            ? step.before.analysis
            : analyse(step.after, core.table),
        vector: vectors.get(step.after.id) ?? null,
      }
    case 'remove':
      return { type: 'remove', op: step.op, id: step.before.record.id }
    case 'link':
      return { type: 'link', link: step.link }
    case 'unlink':
      return { type: 'unlink', from: step.link.from, to: step.link.to, linkType: step.link.type }
  }
}

/** The records that the work writes, with their scopes; the ends of links where the call writes. */
function* touchedBy({ steps, scope }: Work): Iterable<{ readonly id: string; readonly scope: Scope }> {
  for (const step of steps) {
    if (step.type === 'put') yield step.after
    else if (step.type === 'remove') yield step.before.record
    else if (step.type !== 'noop' && scope !== undefined) {
      yield { id: step.link.from, scope }
      yield { id: step.link.to, scope }
    }
  }
}

/**
 * Writes the steps in one transaction: record, terms, vector, links, history and log together, or nothing.
 * @throws ConflictError when what the steps were made from has changed
 */
export async function commitWork(core: Core, work: Work): Promise<Committed> {
  const puts = work.steps.filter((step) => step.type === 'put')
  const { vectors, failure } = await vectorsFor(core, puts, work)
  const released = releasedKeys(work)
  const requires: Precondition[] = []
  const changes: StoreChange[] = []
  const write = (step: WorkStep) => {
    if (step.type === 'noop') return
    requires.push(...requirementsOf(step, released))
    changes.push(changeOf(core, step, vectors))
  }
  await mapInTurns(work.steps, write, work.signal)
  const now = core.clock()
  const result = await core.store.commit(
    {
      id: work.tx ?? core.transactionIds(),
      at: now,
      verb: work.verb,
      actor: work.actor,
      reason: work.reason,
      idempotency: work.idempotency && { ...work.idempotency, expiresAt: now + idempotencyDays * dayMs },
      requires,
      changes: [...changes, ...writeLines(work, touchedBy(work))],
      result: work.result,
    },
    { signal: work.signal },
  )
  core.committed.announce()
  if (failure) {
    // Now, not before: a retry that looks before the commit finds nothing to do and would not come back.
    core.pending.failed(failure.ids, failure.error)
    core.logger.warn?.('stored without vectors', { count: failure.ids.length, code: failure.degraded.code })
  }
  return {
    tx: result.tx,
    replayed: result.replayed,
    at: result.at,
    records: result.records,
    durable: result.durable ?? true,
    degraded: failure ? [failure.degraded] : [],
  }
}

/**
 * Plans and commits, and plans again when another write came in between. What `attempt` reads must be read anew in every
 * round. A conflict though nobody wrote since the round before would be there for ever: it is the caller's. Of the first
 * round that is not known: the end of the log is looked up when there is a conflict, not with every write.
 */
export async function withRetry<T>(core: Core, attempt: (round: number) => Promise<T>): Promise<T> {
  let last: Cursor | null = null
  for (let round = 1; ; round++) {
    try {
      return await attempt(round)
    } catch (error) {
      const lost = MnemeError.is(error) && (error.code === 'VERSION_CONFLICT' || error.code === 'CONFLICT')
      if (!lost || error.details.precondition === undefined) throw error
      const head = await core.store.head()
      if (head === last) throw error
      last = head
    }
  }
}
