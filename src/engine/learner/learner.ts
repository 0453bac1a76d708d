import type { ConflictPolicy } from '../../kinds/index.ts'
import type { IgnoredMessage, Message, Turn } from '../../learning/index.ts'
import type { Scope } from '../../model/index.ts'
import type { LearnResult } from '../api/learning.ts'
import type { Plan, PlanStep } from '../api/plan.ts'
import type { Degradation } from '../api/searching.ts'
import type { Call } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import { type Answered, type Planned, planOf } from '../write-verb.ts'
import { createAdviser } from './advise.ts'
import { compareAll } from './compare.ts'
import { type ExtractOptions, extract } from './extract.ts'
import { factSteps } from './fact-steps.ts'
import type { Extraction, SaidFact } from './learned.ts'
import { answerAgain, ignoredParts, resultsOf, skeletonOf } from './repeated-answer.ts'
import { turnSteps } from './turn-steps.ts'

export interface LearnerOptions extends ExtractOptions {
  readonly similar: number
  readonly onConflict?: ConflictPolicy | undefined
}

/** What was planned last, for the answer. */
interface Told {
  readonly steps: readonly WorkStep[]
  readonly plan: Plan
  readonly ignored: readonly IgnoredMessage[]
  readonly degraded: readonly Degradation[]
}

export interface Learner {
  /** Reads the messages the first time, and compares what they teach with what is known every time. */
  plan(): Promise<Planned>
  answer(answered: Answered): LearnResult
}

function messageOf({ position }: Pick<Turn, 'position'>): string {
  return `messages[${position}]`
}

/** What of a turn is kept: all of its words, or what stands between the parts that are left out. */
function passagesOf(turn: Turn): PlanStep['evidence'] {
  const pieces = turn.content.includes(turn.text) ? [turn.text] : turn.text.split(/ {2,}|\n/)
  return pieces.filter((text) => text.trim() !== '').map((quote) => ({ message: messageOf(turn), quote: quote.trim() }))
}

function evidenceOf({ fact }: SaidFact): PlanStep['evidence'] {
  return fact.evidence.map(({ message, quote }) => ({ message: messageOf({ position: message }), quote }))
}

/** Messages that no step of the plan comes from. */
function untold(
  { turns, hasFailed }: Extraction,
  steps: readonly WorkStep[],
  listed: readonly IgnoredMessage[],
): IgnoredMessage[] {
  const told = new Set([
    ...steps.flatMap((step) => ('evidence' in step ? (step.evidence ?? []) : [])).map(({ message }) => message),
    ...listed.map(messageOf),
  ])
  const reason = hasFailed ? 'failed' : 'nothing'
  return turns.flatMap((turn) => (told.has(messageOf(turn)) ? [] : [{ position: turn.position, reason }]))
}

function eachOnce(degraded: readonly Degradation[]): readonly Degradation[] {
  return [...new Map(degraded.map((one) => [JSON.stringify(one), one])).values()]
}

/** What `learn` does with messages: they are read once, however often another write comes in between. */
export function createLearner(
  call: Call,
  scope: Scope,
  messages: readonly Message[],
  options: LearnerOptions,
): Learner {
  const { core } = call
  const { similar, onConflict, signal } = options
  let reading: Promise<Extraction> | undefined
  let told: Told | undefined
  const adviser = createAdviser(call, scope, signal)

  async function plan(): Promise<Planned> {
    reading ??= extract(call, scope, messages, options)
    const extraction = await reading
    const { facts, kept } = extraction
    const turns = await turnSteps(call, kept, scope, passagesOf, signal)
    const { compared, degraded: missed } = await compareAll(call, scope, facts, { similar, signal })
    const advised = extraction.byModel ? await adviser.advise(facts, compared) : { advice: [], degraded: [] }
    const learnt = await factSteps(call, facts, compared, {
      scope,
      advice: advised.advice,
      evidenceOf,
      turnIds: turns.ids,
      onConflict,
      signal,
    })
    const overruled = learnt.overruled.flatMap(({ fact }) =>
      fact.evidence.map(({ message }): IgnoredMessage => ({ position: message, reason: 'contradicted' })),
    )
    const steps = [...turns.steps, ...learnt.steps]
    const listed = [...extraction.ignored, ...overruled]
    const ignored = [...listed, ...untold(extraction, steps, overruled)].sort((a, b) => a.position - b.position)
    const degraded = eachOnce([...extraction.degraded, ...missed, ...advised.degraded])
    told = { steps, plan: await planOf(core, steps, signal), ignored, degraded }
    return { steps, ...skeletonOf(steps, told.plan, messages, told) }
  }

  function answer({ records, extra, tx, plan, durable, degraded = [] }: Answered): LearnResult {
    const isDry = plan !== undefined
    const said = told
      ? { plan: told.plan, ignored: ignoredParts(told.ignored, messages), degraded: told.degraded }
      : { degraded: [], ...answerAgain(extra, records, messages) }
    const trouble = eachOnce([...(said.degraded ?? []), ...degraded])
    const isWritten = tx !== undefined && said.plan.steps.some(({ op }) => op !== 'noop')
    return {
      plan: said.plan,
      ...(isDry ? {} : { results: resultsOf(extra, records) }),
      ...(isWritten ? { tx } : {}),
      ...(isWritten && durable === false ? { durable } : {}),
      ignored: said.ignored,
      ...(trouble.length === 0 ? {} : { degraded: trouble }),
    }
  }

  return { plan, answer }
}
