import type { PutRecord, StoredRecord } from '../../contract/index.ts'
import { ConflictError, InputError } from '../../errors/index.ts'
import {
  applyPatch,
  equalJson,
  exactly,
  isExpired,
  type NewMemory,
  type ParsedMemory,
  parseNewMemory,
  parsePatch,
  type RecordDraft,
  type Scope,
} from '../../model/index.ts'
import { contentHash } from '../analysis.ts'
import type { AddOutcome } from '../memory-engine.ts'
import { ownVector } from '../vectors.ts'
import type { Call } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import type { AnswerRef, Planned } from '../write-verb.ts'

export interface AddPolicy {
  readonly ifExists: 'error' | 'update' | 'skip'
  readonly dedupe: boolean
  readonly signal?: AbortSignal | undefined
}

interface Decision {
  readonly step: WorkStep
  readonly ref: AnswerRef
  readonly outcome: AddOutcome
}

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
  return unstamped(applyPatch(existing.record, parsePatch(fields, 'memory'), 'replace'))
}

/** A record as a draft: the next commit gives it its version and its time of change. */
export function unstamped(record: PutRecord): PutRecord {
  const { version: _version, updatedAt: _updatedAt, ...draft } = record
  return draft
}

function duplicate(existing: StoredRecord, reason: string): Decision {
  const { id, scope, version } = existing.record
  return { step: { type: 'noop', before: existing, reason }, ref: { id, scope, version }, outcome: 'duplicate' }
}

/** What is there already, looked up once for the whole batch. */
interface Existing {
  byId: Map<string, StoredRecord>
  byKey: Map<string, StoredRecord>
  byHash: Map<string, StoredRecord>
}

function keyOf(draft: Pick<RecordDraft, 'kind' | 'key'>): string {
  return JSON.stringify([draft.kind, draft.key])
}

async function lookUp(call: Call, scope: Scope, parsed: readonly ParsedMemory[], policy: AddPolicy): Promise<Existing> {
  const { store, clock } = call.core
  const here = exactly(scope)
  const options = { signal: policy.signal }
  const now = clock()
  const existing: Existing = { byId: new Map(), byKey: new Map(), byHash: new Map() }
  const ids = parsed.flatMap(({ draft }) => draft.id ?? [])
  for (const found of ids.length > 0 ? await store.get(here, ids, options) : []) {
    if (found && !isExpired(found.record, now)) existing.byId.set(found.record.id, found)
  }
  const keyed = new Map(parsed.filter(({ draft }) => draft.key !== undefined).map(({ draft }) => [keyOf(draft), draft]))
  for (const [key, draft] of keyed) {
    const page = await store.list(
      here,
      { kinds: [draft.kind], key: draft.key, now, order: 'newest', limit: 1 },
      options,
    )
    if (page.items[0]) existing.byKey.set(key, page.items[0])
  }
  const hashes = policy.dedupe ? new Map(parsed.flatMap(({ draft }) => hashEntry(draft))) : new Map<string, string>()
  for (const [hash, kind] of hashes) {
    const page = await store.list(here, { kinds: [kind], hash, now, order: 'oldest', limit: 1 }, options)
    if (page.items[0]) existing.byHash.set(hash, page.items[0])
  }
  return existing
}

function hashEntry(draft: ParsedMemory['draft']): [string, string][] {
  const hash = contentHash(draft)
  return hash === null || draft.status !== 'live' ? [] : [[hash, draft.kind]]
}

function decideForId(existing: StoredRecord, draft: RecordDraft, given: NewMemory, policy: AddPolicy): Decision {
  if (sameAsGiven(existing.record, draft, given)) return duplicate(existing, 'the same record is there')
  if (policy.ifExists === 'skip') return duplicate(existing, 'a record with this id is there')
  if (policy.ifExists === 'update') return updateDecision(existing, given)
  throw new ConflictError({
    code: 'CONFLICT',
    message: `A record with id ${JSON.stringify(existing.record.id)} is there with other content. Choose another id, or say ifExists: 'update' or 'skip'.`,
    details: { id: existing.record.id },
  })
}

function updateDecision(existing: StoredRecord, given: NewMemory): Decision {
  const after = mergeInto(existing, given)
  return {
    step: { type: 'put', op: 'update', before: existing, after },
    ref: { id: after.id, scope: after.scope },
    outcome: 'updated',
  }
}

/** Two items of one batch that mean the same record: the first is written, the second is its duplicate. */
function refuseTwice(what: string): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `The batch holds two different memories with the same ${what}. Give each its own, or add them one after the other.`,
  })
}

/**
 * Decides for each memory whether it is new, an update or a duplicate (WRT-1 to WRT-6).
 * @throws InputError; ConflictError CONFLICT for an id that is there with other content
 */
export async function planAdds(
  call: Call,
  memories: readonly unknown[],
  scope: Scope,
  policy: AddPolicy,
): Promise<Planned> {
  const { core } = call
  const given = memories.map((memory) => asMemory(memory) as NewMemory)
  const parsed = given.map((memory, i) =>
    parseNewMemory(
      memory,
      { scope, importance: core.defaults.importance },
      memories.length === 1 ? 'memory' : `memories[${i}]`,
    ),
  )
  const existing = await lookUp(call, scope, parsed, policy)
  const inBatch = {
    ids: new Map<string, Decision>(),
    keys: new Map<string, Decision>(),
    hashes: new Map<string, Decision>(),
  }

  const decisions = parsed.map(({ draft: partial, vector: own }, i): Decision => {
    const memory = given[i] as NewMemory
    const path = memories.length === 1 ? 'memory.vector' : `memories[${i}].vector`
    const vector = own && ownVector(core.embedder, own, path)
    const draft: RecordDraft = { ...partial, id: partial.id ?? core.ids() }
    const hash = policy.dedupe && draft.status === 'live' ? contentHash(draft) : null
    const key = draft.key === undefined ? null : keyOf(draft)

    const earlier =
      inBatch.ids.get(draft.id) ??
      (key !== null && inBatch.keys.get(key)) ??
      (hash !== null && inBatch.hashes.get(hash))
    if (earlier) {
      const { step } = earlier
      if (step.type === 'put' && !sameAsGiven(step.after, draft, memory)) {
        if (partial.id !== undefined && step.after.id === draft.id) throw refuseTwice('id')
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
    const sameId = partial.id === undefined ? undefined : existing.byId.get(partial.id)
    if (sameId) return remember(decideForId(sameId, draft, memory, policy))
    const sameKey = key === null ? undefined : existing.byKey.get(key)
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
          : updateDecision(sameKey, memory),
      )
    }
    const sameHash = hash === null || partial.id !== undefined ? undefined : existing.byHash.get(hash)
    if (sameHash) return remember(duplicate(sameHash, 'the same content is there'))
    return remember({
      step: {
        type: 'put',
        op: 'add',
        before: null,
        after: draft,
        vector,
        unique: policy.dedupe && partial.id === undefined,
      },
      ref: { id: draft.id, scope: draft.scope },
      outcome: 'added',
    })
  })

  return {
    steps: [...new Set(decisions.map((decision) => decision.step))],
    refs: decisions.map((decision) => decision.ref),
    extra: decisions.map((decision) => decision.outcome),
  }
}
