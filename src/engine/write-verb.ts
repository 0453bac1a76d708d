import type { z } from 'zod'
import type { StoredRecord } from '../contract/index.ts'
import { ConflictError, NotFoundError } from '../errors/index.ts'
import { exactly, formatInstant, isExpired, type JsonValue, type MemoryRecord, type Scope } from '../model/index.ts'
import { reachScope, writeScope } from './access.ts'
import type { Plan } from './api/plan.ts'
import type { Degradation } from './api/searching.ts'
import { conflictsOf } from './conflict-steps.ts'
import type { Core } from './core.ts'
import { refuseLack } from './degradations.ts'
import { noLongerWaiting } from './no-longer-waiting.ts'
import { checkPayloads } from './payloads.ts'
import { isShown, planStep } from './plan-step.ts'
import { type AnswerRef, earlierCall, inputDigest, recordsThen } from './repeated-call.ts'
import { withoutRemoved } from './summaries/without-removed.ts'
import { encodeToken } from './tokens.ts'
import { type Call, defineVerb, type Verb, type VerbDefinition } from './verb.ts'
import { type Committed, commitWork, type Work, type WorkStep, withRetry } from './work.ts'

/** What a write is going to do and answer. */
export interface Planned {
  readonly steps: readonly WorkStep[]
  /** The records that the answer shows, in its order. */
  readonly refs: readonly AnswerRef[]
  /** The rest of the answer; content-free. */
  readonly extra?: JsonValue
  readonly releases?: Work['releases']
}

/** The answer of a write, made from its records; the same for a first call, a repeated one and a dry run. */
export interface Answered {
  readonly records: readonly MemoryRecord[]
  readonly extra: JsonValue | undefined
  readonly tx?: string
  readonly plan?: Plan
  readonly durable?: boolean
  readonly degraded?: readonly Degradation[]
}

/** In the first round of a real write, what the commit checks anyway need not be looked up: a conflict leads to the next. */
export type Round = 'first' | 'careful'

export interface WriteInput {
  readonly scope?: unknown
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
  readonly reason?: string | undefined
  readonly actor?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

export interface WriteVerb<Input extends z.ZodObject, Output>
  extends Omit<VerbDefinition<Input, Promise<Output>>, 'writes' | 'run'> {
  /** Reads what is there and says what to do. Run again when another write comes in between. */
  plan(call: Call, input: z.infer<Input>, scope: Scope, round: Round): Promise<Planned>
  answer(answered: Answered): Output
}

/** The part of an answer that every write has, typed as after a commit: callers see a dry run by its overload. */
export interface Outcome {
  readonly tx: string
  readonly durable?: false
  readonly degraded?: readonly Degradation[]
}

export function outcomeOf({ tx, plan, durable, degraded }: Answered): Outcome {
  return {
    ...(tx === undefined ? {} : { tx }),
    ...(plan === undefined ? {} : { plan }),
    ...(durable === false ? { durable } : {}),
    ...(degraded === undefined || degraded.length === 0 ? {} : { degraded }),
  } as Outcome
}

/** A new plan of the steps, at the present end of the log. */
export async function planOf(core: Core, steps: readonly WorkStep[], signal?: AbortSignal): Promise<Plan> {
  const base = encodeToken(core, 'plan', { position: await core.store.head({ signal }) })
  return { id: core.ids(), createdAt: formatInstant(core.clock()), base, steps: steps.filter(isShown).map(planStep) }
}

/** What a record would look like after a put: what only a commit gives is filled in as it would be now. */
function preview(core: Core, step: WorkStep & { type: 'put' }): MemoryRecord {
  const now = formatInstant(core.clock())
  const before = step.before?.record
  return {
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    ...step.after,
  }
}

function recordsOf(core: Core, planned: Planned, committed: Committed | null): MemoryRecord[] {
  // An import shows none, however many it writes.
  if (planned.refs.length === 0) return []
  const put = new Map(committed?.records.map((record) => [record.id, record]))
  const known = new Map<string, MemoryRecord>()
  for (const step of planned.steps) {
    if (step.type === 'put') {
      known.set(step.after.id, put.get(step.after.id) ?? preview(core, step))
      const against = step.against?.record
      if (against && !known.has(against.id)) known.set(against.id, against)
    }
    if (step.type !== 'noop') continue
    for (const one of [step.before, step.heard?.against])
      if (one && !known.has(one.record.id)) known.set(one.record.id, one.record)
  }
  return planned.refs.map((ref) => core.touches.withCounts(known.get(ref.id) as MemoryRecord))
}

/** What a write works from: its name, its plan and its answer. */
export interface Write<Output> {
  readonly name: string
  readonly scope?: Scope | undefined
  /** Of its transaction. @default a new one */
  readonly tx?: string | undefined
  /** Reads what is there and says what to do. Run again when another write comes in between. */
  plan(round: Round): Promise<Planned>
  answer(answered: Answered): Output
}

/** The key of a call that has one, with the digest of its input. */
export type CallKey = { readonly scope: Scope; readonly key: string; readonly digest: string } | undefined

/** The key that a call of a verb was given; undefined for one without. @throws InputError INVALID_ARGUMENT for input that JSON can't write */
export function callKey(verb: string, scope: Scope, input: WriteInput): CallKey {
  const key = input.idempotencyKey
  return key === undefined ? undefined : { scope, key, digest: inputDigest(verb, { ...input }) }
}

/** Plans, commits and answers: idempotency, dry runs and retries are the same for every write. */
export async function runWrite<Output>(
  core: Core,
  write: Write<Output>,
  input: WriteInput,
  key: CallKey,
): Promise<Output> {
  async function answerAgain(): Promise<Output | undefined> {
    const earlier = key ? await earlierCall(core, key, input.signal) : null
    if (!earlier) return undefined
    const { refs, extra } = earlier.result as unknown as { refs: AnswerRef[]; extra?: JsonValue }
    const records = await recordsThen(core, refs, earlier.id)
    return write.answer({ records, extra, tx: earlier.id })
  }

  return withRetry(core, async (round) => {
    const again = input.dryRun ? undefined : await answerAgain()
    if (again !== undefined) return again
    const planned = await withConflictsGone(core, await write.plan(round === 1 && !input.dryRun ? 'first' : 'careful'))
    checkPayloads(planned.steps)
    const { steps, refs, extra, releases } = planned
    if (input.dryRun) {
      const plan = await planOf(core, steps, input.signal)
      return write.answer({ records: recordsOf(core, planned, null), extra, plan })
    }
    if (!key && steps.every((step) => step.type === 'noop')) {
      if (core.degradations) refuseLack(write.name, core.degradations.heard())
      const tx = await lastTransaction(core, planned)
      return write.answer({ records: recordsOf(core, planned, null), extra, ...(tx ? { tx } : {}) })
    }
    const committed = await commitWork(core, {
      verb: write.name,
      steps: [
        ...steps,
        ...(await noLongerWaiting(core, steps, input.signal)),
        ...(await withoutRemoved(core, steps, input.signal)),
      ],
      tx: write.tx,
      releases,
      scope: write.scope,
      actor: input.actor,
      reason: input.reason,
      idempotency: key,
      // Only a call with a key is ever answered again.
      result: key && ({ refs, ...(extra === undefined ? {} : { extra }) } as unknown as JsonValue),
      signal: input.signal,
      onProgress: input.onProgress,
    })
    if (committed.replayed) {
      // Another call with this key got in between our look and our commit.
      const first = await answerAgain()
      if (first !== undefined) return first
      throw new ConflictError({
        code: 'CONFLICT',
        message: 'This idempotency key ran out while the call was answered. Read what is there and use a new key.',
      })
    }
    const { tx, durable, degraded } = committed
    return write.answer({ records: recordsOf(core, planned, committed), extra, tx, durable, degraded })
  })
}

/** What removes a side of a contradiction removes the contradiction, which speaks of it (CFL-5). */
async function withConflictsGone(core: Core, planned: Planned): Promise<Planned> {
  const removed = planned.steps.flatMap((step) => (step.type === 'remove' ? [step.before.record.id] : []))
  if (removed.length === 0) return planned
  const gone = await conflictsOf(core, removed)
  const seen = new Set(removed)
  const steps = gone.filter(({ record }) => !seen.has(record.id)).map((before): WorkStep => removalOf(before))
  return steps.length === 0 ? planned : { ...planned, steps: [...planned.steps, ...steps] }
}

function removalOf(before: StoredRecord): WorkStep {
  return { type: 'remove', op: 'delete', before, reason: 'one of its sides goes' }
}

/** A write that found nothing to do answers with the transaction that made things as they are. */
async function lastTransaction(core: Core, planned: Planned): Promise<string | undefined> {
  const last = planned.refs.at(-1)
  if (!last) return undefined
  return (await core.store.revisions(exactly(last.scope), last.id)).at(-1)?.tx
}

/** A verb from its plan and its answer: idempotency, dry runs and retries are the same for all. */
export function defineWrite<Input extends z.ZodObject, Output>(
  verb: WriteVerb<Input, Output>,
): Verb<Input, Promise<Output>> {
  const { plan, answer, ...rest } = verb
  return defineVerb<Input, Promise<Output>>({
    ...rest,
    writes: true,
    run(call, input: z.infer<Input>) {
      const given: WriteInput = input
      const scope = writeScope(call.access, given.scope)
      return runWrite(
        call.core,
        { name: verb.name, scope, plan: (round) => plan(call, input, scope, round), answer },
        given,
        callKey(verb.name, scope, given),
      )
    },
  })
}

/** Finds a record that a write names by id. @throws NotFoundError RECORD_NOT_FOUND, also for one that is out of reach or expired */
export async function requireRecord(
  call: Call,
  id: string,
  scope: unknown,
  signal?: AbortSignal,
): Promise<StoredRecord> {
  const found = await findRecord(call, id, scope, signal)
  if (found) return found
  throw new NotFoundError({
    code: 'RECORD_NOT_FOUND',
    message: `No record ${JSON.stringify(id).slice(0, 80)} in this scope. Check the id and the scope of the call.`,
    details: { id },
  })
}

/** The record, null when it is unknown, out of reach or expired. */
export async function findRecord(
  call: Call,
  id: string,
  scope: unknown,
  signal?: AbortSignal,
): Promise<StoredRecord | null> {
  const [found] = await call.core.store.get(reachScope(call.access, scope), [id], { signal })
  return found && !isExpired(found.record, call.core.clock(), call.core.policies.lifetimes) ? found : null
}
