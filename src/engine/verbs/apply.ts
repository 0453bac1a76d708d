import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import { ConflictError, InputError, NotFoundError } from '../../errors/index.ts'
import { maxCharacters } from '../../learning/index.ts'
import {
  formatInstant,
  isWithin,
  type Link,
  type MemoryRecord,
  madeOnce,
  parseMetadata,
  parseScope,
  parseWith,
  type RecordDraft,
  type RevisionOp,
  type Scope,
} from '../../model/index.ts'
import { reachScope } from '../access.ts'
import type { PlanOp, PlanStep } from '../api/plan.ts'
import type { ApplyResult } from '../api/write-results.ts'
import { conflictSteps, saysTheSame, settles } from '../conflict-steps.ts'
import { isGone } from '../keyed.ts'
import { parseRecordFields } from '../parse-record.ts'
import { maxCount } from '../portable-lines.ts'
import { type Call, idField, writeOptions } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import { defineWrite, outcomeOf } from '../write-verb.ts'
import { checkChainsEnd, impossible } from './chains-end.ts'
import { refuseSuperseded } from './refuse-superseded.ts'

const maxReason = 65_536
/** Of a step: more than a call that learns can give it. */
const maxEvidence = 10_000

const linkSchema = madeOnce(() =>
  z.strictObject({
    from: idField(),
    to: idField(),
    type: z.string().min(1).max(256),
    weight: z.number().min(0).max(1),
    metadata: z.unknown(),
  }),
)

const planSchema = madeOnce(() =>
  z.strictObject({
    id: z.string(),
    createdAt: z.string(),
    base: z.string(),
    steps: z
      .array(
        z.strictObject({
          op: z.enum([
            'add',
            'update',
            'supersede',
            'invalidate',
            'restore',
            'archive',
            'delete',
            'link',
            'unlink',
            'noop',
            'conflict',
          ]),
          before: z.looseObject({ id: idField(), version: z.int().min(1) }).optional(),
          after: z.looseObject({ scope: z.unknown() }).optional(),
          link: linkSchema().optional(),
          dedupe: z.literal(false).optional(),
          reason: z.string().max(maxReason),
          evidence: z
            .array(z.strictObject({ message: z.string().max(1024), quote: z.string().max(maxCharacters) }))
            .max(maxEvidence),
        }),
      )
      .max(100_000),
  }),
)

const chainSchema = madeOnce(() => z.object({ supersedes: idField().optional(), supersededBy: idField().optional() }))
/** Of a new record that takes another's place, or keeps what it was: its version may go on from that one's. */
const versionSchema = madeOnce(() => z.object({ version: z.int().min(1).max(maxCount).optional() }))

/** Fields of a record that a caller does not set: a plan may show them, applying makes them anew. */
const generated = [
  'version',
  'createdAt',
  'updatedAt',
  'accessCount',
  'lastAccessedAt',
  'scope',
  'supersedes',
  'supersededBy',
] as const

function unreachable(id: string): NotFoundError {
  return new NotFoundError({
    code: 'RECORD_NOT_FOUND',
    message: `The plan names record ${id}, which is not in this scope. Use the scope that the plan was made in.`,
    details: { id },
  })
}

function gone(id: string): ConflictError {
  return new ConflictError({
    code: 'VERSION_CONFLICT',
    message: `The plan can't be applied: record ${id} is not in this scope, or was deleted since. Use the scope that the plan was made in, or make it again.`,
    details: { id },
  })
}

function stale(id: string): ConflictError {
  return new ConflictError({
    code: 'VERSION_CONFLICT',
    message: `The plan is stale: record ${id} changed since it was made. Make the plan again.`,
    details: { id },
  })
}

function taken(id: string): ConflictError {
  return new ConflictError({
    code: 'VERSION_CONFLICT',
    message: `The plan was applied already: record ${id}, which it adds, is there. Make the plan again to see what is left to do.`,
    details: { id },
  })
}

function incomplete(step: number): InputError {
  return new InputError({ code: 'INVALID_ARGUMENT', message: `plan.steps[${step}]: does not say what it works on.` })
}

/** A planned record, checked like any other input; it may come from anywhere. */
function parseAfter(after: Record<string, unknown>, scope: Scope, what: string) {
  const settable = Object.fromEntries(Object.entries(after).filter(([field]) => !generated.includes(field as never)))
  const draft = parseRecordFields(settable, scope, what)
  const { supersedes, supersededBy } = parseWith(chainSchema(), after, what)
  const chained = {
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(supersededBy === undefined ? {} : { supersededBy }),
  }
  return { ...draft, ...chained }
}

/** What a plan may touch: the records in reach, and the ids that it makes itself. */
interface Reached {
  readonly current: ReadonlyMap<string, StoredRecord>
  readonly known: ReadonlySet<string>
}

async function reach(call: Call, steps: readonly PlanStep[], scope: unknown, signal?: AbortSignal): Promise<Reached> {
  const named = steps.flatMap(({ before, after, link }) => [
    before?.id,
    after?.id,
    after?.supersedes,
    after?.supersededBy,
    link?.from,
    link?.to,
  ])
  const ids = [...new Set(named.filter((id) => typeof id === 'string'))]
  const found = await call.core.store.get(reachScope(call.access, scope), ids, { signal })
  const current = new Map(found.flatMap((record) => (record ? [[record.record.id, record] as const] : [])))
  const made = steps.flatMap(({ before, after }) => (before === undefined && after?.id !== undefined ? [after.id] : []))
  return { current, known: new Set([...current.keys(), ...made]) }
}

/** A record is chained to records in reach only, and superseded only together with its successor. */
function checkChain(
  step: PlanStep,
  after: RecordDraft,
  before: StoredRecord | undefined,
  known: ReadonlySet<string>,
  what: string,
): void {
  // What it is chained to already may be out of reach, or deleted since.
  const { supersedes, supersededBy } = before?.record ?? {}
  for (const id of [after.supersedes, after.supersededBy])
    if (id !== undefined && id !== supersedes && id !== supersededBy && !known.has(id)) throw unreachable(id)
  if (step.op !== 'supersede' && before?.record.status !== 'superseded') refuseSuperseded(after.status, `${what}.after`)
}

/** Where a new record of a plan lands. @throws InputError SCOPE_DENIED outside the scope of the call */
function targetOf(after: NonNullable<PlanStep['after']>, scope: Scope, what: string): Scope {
  const target = parseScope(after.scope, `${what}.after.scope`)
  if (isWithin(target, scope)) return target
  throw new InputError({ code: 'SCOPE_DENIED', message: `${what}: the plan writes outside the scope of this call.` })
}

/** What contradicts `before` waits in quarantine, as the verb that made the plan would have had it. */
async function conflictWork(
  call: Call,
  step: PlanStep,
  i: number,
  scope: Scope,
  reached: Reached,
): Promise<WorkStep[]> {
  const what = `plan.steps[${i}]`
  const { before, after, reason, evidence } = step
  if (!before || !after) throw incomplete(i)
  const known = reached.current.get(before.id)
  if (!known) throw gone(before.id)
  if (known.record.version !== before.version) throw stale(before.id)
  const {
    supersedes: _supersedes,
    supersededBy: _by,
    ...draft
  } = parseAfter(after as never, targetOf(after, scope, what), `${what}.after`)
  const { version } = parseWith(versionSchema(), after, `${what}.after`)
  const incoming = { ...draft, id: draft.id ?? call.core.ids(), ...(version === undefined ? {} : { version }) }
  if (settles(known.record, incoming)) throw impossible(i, 'both say the same, which is no conflict')
  return [...(await conflictSteps(call.core, { known, incoming, reason, evidence })).steps]
}

type Conflicting = WorkStep & { readonly type: 'put'; readonly against: StoredRecord }

const isConflicting = (step: WorkStep): step is Conflicting => step.type === 'put' && step.against !== undefined

/** Whether a plan opens the same contradiction before: twice it is one (CFL-3). */
function isOpenedIn(earlier: readonly WorkStep[], work: readonly WorkStep[]): boolean {
  const opened = work.find(isConflicting)
  if (!opened) return false
  return earlier
    .filter(isConflicting)
    .some(({ against, after }) => against.record.id === opened.against.record.id && saysTheSame(after, opened.after))
}

async function workOf(call: Call, step: PlanStep, i: number, scope: Scope, reached: Reached): Promise<WorkStep[]> {
  const what = `plan.steps[${i}]`
  if (step.op === 'noop') return []
  if (step.op === 'conflict') return conflictWork(call, step, i, scope, reached)
  if (step.op === 'link' || step.op === 'unlink') {
    if (!step.link) throw incomplete(i)
    for (const end of [step.link.from, step.link.to]) if (!reached.known.has(end)) throw unreachable(end)
    const link: Link = { ...step.link, metadata: parseMetadata(step.link.metadata, `${what}.link.metadata`) }
    return [{ type: step.op, link }]
  }
  const before = step.before ? reached.current.get(step.before.id) : undefined
  if (step.before && !before) throw gone(step.before.id)
  if (step.before && before?.record.version !== step.before.version) throw stale(step.before.id)
  if (step.op === 'delete') {
    if (!before) throw incomplete(i)
    return [{ type: 'remove', op: 'delete', before }]
  }
  if (!step.after) throw incomplete(i)
  const { reason, evidence } = step
  if (before) {
    const after = { ...parseAfter(step.after as never, before.record.scope, `${what}.after`), id: before.record.id }
    checkChain(step, after, before, reached.known, what)
    // What takes the place of an expired record begins a life of its own.
    const isNew = step.op === 'add' && isGone(call.core, before.record)
    if (!isNew && after.kind !== before.record.kind) throw impossible(i, 'a memory stays of its kind')
    const { accessCount, lastAccessedAt, createdAt } = before.record
    const used = { accessCount, createdAt, ...(lastAccessedAt === undefined ? {} : { lastAccessedAt }) }
    const lived = { ...after, ...(isNew ? { createdAt: formatInstant(call.core.clock()) } : used) }
    return [{ type: 'put', op: step.op as RevisionOp, planOp: step.op, before, after: lived, reason, evidence }]
  }
  const draft = parseAfter(step.after as never, targetOf(step.after, scope, what), `${what}.after`)
  if (draft.id !== undefined && reached.current.has(draft.id)) throw taken(draft.id)
  const { version } = parseWith(versionSchema(), step.after, `${what}.after`)
  const goesOn = (draft.supersedes ?? draft.supersededBy) !== undefined && version !== undefined
  // A version that is kept of a record is as old as that one.
  const of = draft.status === 'superseded' ? reached.current.get(draft.supersededBy ?? '')?.record : undefined
  const times = of ? { createdAt: of.createdAt, updatedAt: of.updatedAt } : {}
  const after = { ...draft, id: draft.id ?? call.core.ids(), ...(goesOn ? { version } : {}), ...times }
  checkChain(step, after, undefined, reached.known, what)
  const unique = step.dedupe !== false
  return [{ type: 'put', op: 'add', planOp: step.op, before: null, after, unique, reason, evidence }]
}

export const apply = defineWrite({
  name: 'apply',
  summary: 'Carry out a plan in one transaction.',
  positional: ['plan'],
  input: () => z.strictObject({ plan: z.unknown(), ...writeOptions }),
  example: 'mneme add "Ann plays the cello" --user ann --dry-run -o json | mneme apply --user ann',
  async plan(call, input, scope) {
    const plan = parseWith(planSchema(), input.plan, 'plan') as unknown as { steps: PlanStep[] }
    const reached = await reach(call, plan.steps, input.scope, input.signal)
    const works: WorkStep[][] = []
    checkChainsEnd(plan.steps, reached.current)
    for (const [i, step] of plan.steps.entries()) {
      const work = await workOf(call, step, i, scope, reached)
      works.push(isOpenedIn(works.flat(), work) ? [] : work)
    }
    const shown = works.map((steps, i) => {
      const put = steps.find((step) => step.type === 'put' && !step.unplanned) as
        | (WorkStep & { type: 'put' })
        | undefined
      const op = (plan.steps[i] as PlanStep).op
      const heard = steps.find((step) => step.type === 'noop' && step.heard) as
        | (WorkStep & { type: 'noop' })
        | undefined
      if (put) return { op, id: put.after.id, put }
      return { op, id: heard?.before.record.id ?? plan.steps[i]?.before?.id ?? null, put: null }
    })
    return {
      steps: works.flat(),
      refs: shown.flatMap(({ put }) => (put ? [{ id: put.after.id, scope: put.after.scope }] : [])),
      extra: shown.map(({ op, id, put }) => ({ op, id, record: put !== null })),
    }
  },
  answer(answered): ApplyResult {
    const records: MemoryRecord[] = [...answered.records]
    const results = (answered.extra as { op: PlanOp; id: string | null; record: boolean }[]).map(
      ({ op, id, record }) => ({
        op,
        ...(id === null ? {} : { id }),
        ...(record ? { record: records.shift() as MemoryRecord } : {}),
      }),
    )
    return { results, ...outcomeOf(answered) }
  },
})
