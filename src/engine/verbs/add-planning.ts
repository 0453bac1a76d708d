import type { Claim, PutRecord, StoredRecord, StoredVector } from '../../contract/index.ts'
import { ConflictError, InputError } from '../../errors/index.ts'
import { mayReplace } from '../../learning/index.ts'
import {
  allScopes,
  applyPatch,
  equalJson,
  formatInstant,
  isExpired,
  type NewMemory,
  type ParsedMemory,
  parseNewMemory,
  parsePatch,
  type RecordDraft,
  type Scope,
  scopeKey,
} from '../../model/index.ts'
import { contentHash } from '../analysis.ts'
import type { AddOutcome } from '../api/write-results.ts'
import { type ConflictPlan, contradicts, saysTheSame } from '../conflict-steps.ts'
import type { Core } from '../core.ts'
import { mapInTurns } from '../map-in-turns.ts'
import type { AnswerRef } from '../repeated-call.ts'
import { ownVector } from '../vectors.ts'
import type { Call } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import type { Planned, Round } from '../write-verb.ts'
import { planEdit } from './edit.ts'
import { refuseSuperseded } from './refuse-superseded.ts'
import { unstamped } from './unstamped.ts'

export interface AddPolicy {
  readonly ifExists: 'error' | 'update' | 'skip'
  readonly dedupe: boolean
  readonly signal?: AbortSignal | undefined
}

interface Decision {
  readonly step: WorkStep
  /** Makes room for it. */
  readonly before?: WorkStep
  readonly ref: AnswerRef
  readonly outcome: AddOutcome
  /** What it would replace, and what was said: judged once the whole batch is decided. */
  readonly against?: {
    readonly known: StoredRecord
    readonly incoming: RecordDraft
    readonly vector?: StoredVector | undefined
  }
}

/** Of an answer: how a memory fared. */
export type AddExtra = AddOutcome | { readonly outcome: 'conflict'; readonly conflict: string }

/** A text alone is a memory with that content. */
function asMemory(given: unknown): unknown {
  return typeof given === 'string' ? { content: given } : given
}

/** Fields that make two records the same thing to a caller who adds one again. */
function sameAsGiven(existing: RecordDraft, draft: RecordDraft, given: NewMemory): boolean {
  return (Object.keys(given) as (keyof NewMemory)[]).every(
    (field) =>
      field === 'id' ||
      field === 'vector' ||
      equalJson(existing[field as keyof RecordDraft], draft[field as keyof RecordDraft]),
  )
}

/** The existing record with what was given; everything that was not given, learned counters among them, stays. */
function mergeInto(existing: StoredRecord, given: NewMemory): PutRecord {
  const { id: _id, vector: _vector, ...fields } = given
  const { source, trust } = existing.record
  const merged = unstamped(applyPatch(existing.record, parsePatch(fields, 'memory'), 'replace'))
  // Who says the same and is trusted less takes no trust away (TRU-6).
  const isLess = given.trust === undefined && !mayReplace(trust, merged.trust)
  return isLess && saysTheSame(existing.record, merged) ? { ...merged, source, trust } : merged
}

function duplicate(existing: StoredRecord, reason: string): Decision {
  const { id, scope, version } = existing.record
  return { step: { type: 'noop', before: existing, reason }, ref: { id, scope, version }, outcome: 'duplicate' }
}

/** What is there already, looked up once for the whole batch; expired records too: they are hidden, not gone. */
interface Existing {
  readonly byId: ReadonlyMap<string, StoredRecord>
  readonly byKey: ReadonlyMap<string, StoredRecord>
  readonly byHash: ReadonlyMap<string, StoredRecord>
}

const nothing: Existing = { byId: new Map(), byKey: new Map(), byHash: new Map() }

/**
 * One memory that is named neither by id nor by key is mostly new: the commit itself finds out. Not where an embedder would
 * have been asked in vain.
 */
function isLikelyNew({ core }: Call, [memory, ...others]: readonly ParsedMemory[]): boolean {
  if (memory === undefined || others.length > 0) return false
  const { draft, vector } = memory
  return draft.id === undefined && draft.key === undefined && (core.embedder === null || vector !== undefined)
}

function keyOf(draft: Pick<RecordDraft, 'kind' | 'key'>): string {
  return JSON.stringify([draft.kind, draft.key])
}

/** A parsed memory with its digest. */
interface Hashed extends ParsedMemory {
  readonly hash: string | null
}

/** The digest that makes the draft a duplicate; null when it is to be stored whatever is there. */
function claimedHash({ draft, hash }: Hashed, policy: AddPolicy): string | null {
  return policy.dedupe && draft.status === 'live' ? hash : null
}

async function lookUp(call: Call, scope: Scope, parsed: readonly Hashed[], policy: AddPolicy): Promise<Existing> {
  const { store } = call.core
  const options = { signal: policy.signal }
  const ids = parsed.flatMap(({ draft }) => draft.id ?? [])
  // Ids are unique in the whole store: one that another scope holds must not be taken for a free one.
  const byId = ids.length > 0 ? await store.get(allScopes(), ids, options) : []
  for (const found of byId)
    if (found && scopeKey(found.record.scope) !== scopeKey(scope)) throw idTaken(found.record.id)
  const claims = new Map<string, Claim>()
  for (const each of parsed) {
    const { kind, key } = each.draft
    if (key !== undefined) claims.set(`key ${keyOf(each.draft)}`, { type: 'key', scope, kind, value: key })
    const hash = claimedHash(each, policy)
    if (hash !== null) claims.set(`content ${hash}`, { type: 'content', scope, kind, value: hash })
  }
  const held = claims.size > 0 ? await store.holders([...claims.values()], options) : []
  const holders = new Map([...claims.keys()].map((name, i) => [name, held[i] ?? null]))
  const holding = (type: string) =>
    [...holders].flatMap(([name, holder]) =>
      holder && name.startsWith(type) ? [[name.slice(type.length), holder] as const] : [],
    )
  return {
    byId: new Map(byId.flatMap((found) => (found ? [[found.record.id, found] as const] : []))),
    byKey: new Map(holding('key ')),
    byHash: new Map(holding('content ')),
  }
}

function decideForId(
  call: Call,
  existing: StoredRecord,
  draft: RecordDraft,
  given: NewMemory,
  policy: AddPolicy,
): Decision {
  if (sameAsGiven(existing.record, draft, given)) return duplicate(existing, 'the same record is there')
  if (policy.ifExists === 'skip') return duplicate(existing, 'a record with this id is there')
  if (policy.ifExists === 'update') {
    const incoming = { ...draft, id: call.core.ids() }
    return { ...updateDecision(call, existing, given), against: { known: existing, incoming } }
  }
  throw new ConflictError({
    code: 'CONFLICT',
    message: `A record with id ${JSON.stringify(existing.record.id)} is there with other content. Choose another id, or say ifExists: 'update' or 'skip'.`,
    details: { id: existing.record.id },
  })
}

function updateDecision({ core }: Call, existing: StoredRecord, given: NewMemory): Decision {
  const after = mergeInto(existing, given)
  const { kept, step } = planEdit(core, existing, after)
  return {
    ...(kept ? { before: kept } : {}),
    step,
    ref: { id: after.id, scope: after.scope },
    outcome: 'updated',
  }
}

/** Says nothing of the record that has it: it may be somebody else's. */
function idTaken(id: string): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `The id ${JSON.stringify(id)} is taken in another scope. Choose another id, or leave it out.`,
    details: { id },
  })
}

/** The same with an id of the caller's own: the expired record only gives up the key. */
function replace(expired: StoredRecord, draft: RecordDraft, vector: StoredVector | undefined): Decision {
  const { key: _key, ...keyless } = expired.record
  return {
    before: { type: 'put', op: 'update', before: expired, after: unstamped(keyless) },
    step: { type: 'put', op: 'add', before: null, after: draft, vector },
    ref: { id: draft.id, scope: draft.scope },
    outcome: 'added',
  }
}

/** An expired record that holds the id, key or content: nobody sees it any more, so the new memory takes its place. */
function revive(expired: StoredRecord, draft: RecordDraft, now: number, vector: StoredVector | undefined): Decision {
  // It begins to live now, and so does its lifetime.
  const after: PutRecord = { ...draft, id: expired.record.id, createdAt: formatInstant(now) }
  const step: WorkStep = { type: 'put', op: 'add', before: expired, after, vector }
  return { step, ref: { id: after.id, scope: after.scope }, outcome: 'added' }
}

/** Two items of one batch that mean the same record: the first is written, the second is its duplicate. */
function refuseTwice(what: string): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `The batch holds two different memories with the same ${what}. Give each its own, or add them one after the other.`,
  })
}

/**
 * Decides for each memory whether it is new, an update or a duplicate (WRT-20, WRT-22, WRT-30).
 * @throws InputError; ConflictError CONFLICT for an id that is there with other content
 */
export async function planAdds(
  call: Call,
  memories: readonly unknown[],
  scope: Scope,
  policy: AddPolicy,
  round: Round = 'careful',
): Promise<Planned> {
  const { core } = call
  const given = memories.map((memory) => asMemory(memory) as NewMemory)
  const hashed = (memory: NewMemory, i: number): Hashed => {
    const what = memories.length === 1 ? 'memory' : `memories[${i}]`
    const made = parseNewMemory(memory, { scope, importance: core.defaults.importance }, what)
    return { hash: contentHash(made.draft), ...made }
  }
  const parsed = await mapInTurns(given, hashed, policy.signal)
  for (const { draft } of parsed) refuseSuperseded(draft.status, 'memory')
  const existing = round === 'first' && isLikelyNew(call, parsed) ? nothing : await lookUp(call, scope, parsed, policy)
  const inBatch = {
    ids: new Map<string, Decision>(),
    keys: new Map<string, Decision>(),
    hashes: new Map<string, Decision>(),
  }

  const decide = (each: Hashed, i: number): Decision => {
    const { draft: partial, vector: own } = each
    const memory = given[i] as NewMemory
    const path = memories.length === 1 ? 'memory.vector' : `memories[${i}].vector`
    const vector = own && ownVector(core.embedder, own, path)
    // The spread last: what follows one gives each object a shape of its own, and all that reads it is slower.
    const draft: RecordDraft = { id: partial.id ?? core.ids(), ...partial }
    const hash = claimedHash(each, policy)
    const key = draft.key === undefined ? null : keyOf(draft)

    const earlier =
      inBatch.ids.get(draft.id) ??
      (key === null ? undefined : inBatch.keys.get(key)) ??
      // An id of its own makes it another memory, in a batch as much as one after the other.
      (hash === null || partial.id !== undefined ? undefined : inBatch.hashes.get(hash))
    if (earlier) {
      const { step } = earlier
      const there = step.type === 'put' ? step.after : step.type === 'noop' ? step.before.record : null
      const skipped = step.type === 'noop' && policy.ifExists === 'skip'
      if (there && !skipped && !sameAsGiven(there, draft, memory)) {
        if (partial.id !== undefined && there.id === draft.id) throw refuseTwice('id')
        if (key !== null) throw refuseTwice('key')
      }
      return { ...earlier, outcome: 'duplicate', step: earlier.step }
    }
    const remember = (decision: Decision): Decision => {
      inBatch.ids.set(draft.id, decision)
      if (key !== null) inBatch.keys.set(key, decision)
      if (hash !== null) inBatch.hashes.set(hash, decision)
      return decision
    }
    const now = core.clock()
    const isGone = ({ record }: StoredRecord) => isExpired(record, now, core.policies.lifetimes)
    const sameId = partial.id === undefined ? undefined : existing.byId.get(partial.id)
    if (sameId && isGone(sameId)) return remember(revive(sameId, draft, now, vector))
    if (sameId) return remember(decideForId(call, sameId, draft, memory, policy))
    const sameKey = key === null ? undefined : existing.byKey.get(key)
    if (sameKey && isGone(sameKey)) {
      return remember(partial.id === undefined ? revive(sameKey, draft, now, vector) : replace(sameKey, draft, vector))
    }
    if (sameKey) {
      if (partial.id !== undefined) {
        throw new ConflictError({
          code: 'CONFLICT',
          message: 'Another record of this scope and kind holds this key. Leave the id out to update that record.',
          details: { id: sameKey.record.id },
        })
      }
      return remember(
        sameAsGiven(sameKey.record, draft, memory)
          ? duplicate(sameKey, 'the same value is there')
          : { ...updateDecision(call, sameKey, memory), against: { known: sameKey, incoming: draft, vector } },
      )
    }
    const sameHash = hash === null || partial.id !== undefined ? undefined : existing.byHash.get(hash)
    if (sameHash && isGone(sameHash)) return remember(revive(sameHash, draft, now, vector))
    if (sameHash) return remember(duplicate(sameHash, 'the same content is there'))
    return remember({
      step: {
        type: 'put',
        op: 'add',
        before: null,
        after: draft,
        vector,
        hash: each.hash,
        unique: policy.dedupe && partial.id === undefined,
      },
      ref: { id: draft.id, scope: draft.scope },
      outcome: 'added',
    })
  }
  const decisions = await mapInTurns(parsed, decide, policy.signal)
  const conflicts = await contradictions(core, decisions, policy.signal)
  const stepsOf = (decision: Decision): readonly WorkStep[] => {
    const { before, step } = decision
    return conflicts.get(step)?.steps ?? (before ? [before, step] : [step])
  }
  return {
    steps: [...new Set(decisions.flatMap(stepsOf))],
    refs: decisions.map(({ step, ref }) => conflicts.get(step)?.second ?? ref),
    extra: decisions.map(({ step, outcome }): AddExtra => {
      const { conflict } = conflicts.get(step) ?? {}
      return conflict === undefined ? outcome : { outcome: 'conflict', conflict }
    }),
  }
}

/** What of a batch would replace what it may not, by the step that would (TRU-3). */
async function contradictions(
  core: Core,
  decisions: readonly Decision[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<WorkStep, ConflictPlan>> {
  const found = new Map<WorkStep, ConflictPlan>()
  for (const { step, against } of decisions) {
    if (!against || found.has(step)) continue
    const { known, incoming, vector } = against
    const conflict = await contradicts(core, known, incoming, { vector, signal })
    if (conflict) found.set(step, conflict)
  }
  return found
}
