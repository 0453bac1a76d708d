import type { IgnoredMessage, Message } from '../../learning/index.ts'
import { ownText } from '../../learning/index.ts'
import type { JsonValue, MemoryRecord } from '../../model/index.ts'
import type { IgnoredPart, LearnResult } from '../api/learning.ts'
import type { Plan, PlannedRecord, PlanOp, PlanStep } from '../api/plan.ts'
import type { Degradation } from '../api/searching.ts'
import type { AnswerRef } from '../repeated-call.ts'
import type { WorkStep } from '../work.ts'

/** A passage without its words: the position of its message, its first character and the one after its last. */
type Passage = readonly [message: number, start: number, end: number]

/** A step of a plan without content: its records by their places among the answer's. */
interface StepSkeleton {
  readonly op: PlanOp
  readonly reason: string
  readonly before?: number
  readonly after?: number
  readonly dedupe?: false
  readonly evidence: readonly Passage[]
}

/** An answer without content, for a call with an idempotency key: the same messages come with the repeated call. */
interface Skeleton {
  readonly plan: Omit<Plan, 'steps'>
  readonly steps: readonly StepSkeleton[]
  readonly ignored: readonly IgnoredMessage[]
  readonly degraded: readonly Degradation[]
}

function positionOf(message: string): number {
  return Number(/\d+/.exec(message)?.[0])
}

function passageOf({ message, quote }: PlanStep['evidence'][number], messages: readonly Message[]): Passage {
  const position = positionOf(message)
  const start = Math.max(0, ownText(messages[position] as Message).indexOf(quote))
  return [position, start, start + quote.length]
}

/** The words of a passage. */
function quoteOf(text: string, { start, end }: { readonly start: number; readonly end: number }): string {
  return text.slice(start, end)
}

export function ignoredParts(ignored: readonly IgnoredMessage[], messages: readonly Message[]): readonly IgnoredPart[] {
  return ignored.map(({ position, reason, span }) => ({
    message: `messages[${position}]`,
    reason,
    ...(span === undefined ? {} : { quote: quoteOf(ownText(messages[position] as Message), span) }),
  }))
}

/** The records of an answer and what is kept of it: content-free, in the order of the plan's steps. */
export function skeletonOf(
  steps: readonly WorkStep[],
  plan: Plan,
  messages: readonly Message[],
  { ignored, degraded }: Pick<Skeleton, 'ignored' | 'degraded'>,
): { readonly refs: readonly AnswerRef[]; readonly extra: JsonValue } {
  const refs: AnswerRef[] = []
  const ref = (one: AnswerRef) => refs.push(one) - 1
  const asBefore = ({ id, scope, version }: MemoryRecord) => ref({ id, scope, version })
  const shown = steps.filter((step) => !('unplanned' in step && step.unplanned))
  const kept = plan.steps.map(({ op, reason, before, dedupe, evidence }, i): StepSkeleton => {
    const step = shown[i] as WorkStep
    return {
      op,
      reason,
      ...(step.type === 'put' ? { after: ref({ id: step.after.id, scope: step.after.scope }) } : {}),
      ...(step.type === 'noop' && step.heard ? { after: asBefore(step.before.record) } : {}),
      ...(before ? { before: asBefore(before) } : {}),
      ...(dedupe === undefined ? {} : { dedupe }),
      evidence: evidence.map((one) => passageOf(one, messages)),
    }
  })
  const { id, createdAt, base } = plan
  const extra: Skeleton = { plan: { id, createdAt, base }, steps: kept, ignored, degraded }
  return { refs, extra: extra as unknown as JsonValue }
}

/** A record as a plan showed it: what the commit gave it is left out, or as it was before. */
function asPlanned(record: MemoryRecord, before: MemoryRecord | undefined): PlannedRecord {
  const { version, createdAt, updatedAt, ...after } = record
  if (!before) return after.supersedes === undefined || version === 1 ? after : { ...after, version }
  return { ...after, version: before.version, createdAt: before.createdAt, updatedAt: before.updatedAt }
}

/** What became of each step, from the records of the answer. */
export function resultsOf(extra: JsonValue | undefined, records: readonly MemoryRecord[]): LearnResult['results'] {
  return (extra as unknown as Skeleton).steps.map(({ op, before, after }) => {
    const record = after === undefined ? undefined : records[after]
    const id = (record ?? records[before ?? -1])?.id
    return { op, ...(id === undefined ? {} : { id }), ...(record ? { record } : {}) }
  })
}

/** The answer of the first call, made again from its records and the same messages. */
export function answerAgain(
  extra: JsonValue | undefined,
  records: readonly MemoryRecord[],
  messages: readonly Message[],
): Pick<LearnResult, 'plan' | 'ignored' | 'degraded'> {
  const skeleton = extra as unknown as Skeleton
  const steps = skeleton.steps.map((step): PlanStep => {
    const before = step.before === undefined ? undefined : records[step.before]
    const after = step.after === undefined ? undefined : records[step.after]
    return {
      op: step.op,
      ...(before ? { before } : {}),
      ...(after ? { after: asPlanned(after, before?.id === after.id ? before : undefined) } : {}),
      ...(step.dedupe === undefined ? {} : { dedupe: step.dedupe }),
      reason: step.reason,
      evidence: step.evidence.map(([message, start, end]) => ({
        message: `messages[${message}]`,
        quote: quoteOf(ownText(messages[message] as Message), { start, end }),
      })),
    }
  })
  return {
    plan: { ...skeleton.plan, steps },
    ignored: ignoredParts(skeleton.ignored, messages),
    ...(skeleton.degraded.length === 0 ? {} : { degraded: skeleton.degraded }),
  }
}
