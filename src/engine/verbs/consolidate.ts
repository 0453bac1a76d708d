import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import { isMergedKind } from '../../learning/index.ts'
import type { JsonValue, MemoryRecord } from '../../model/index.ts'
import { reachScope, writeScope } from '../access.ts'
import type { Plan, PlanOp } from '../api/plan.ts'
import type { ConsolidateResult } from '../api/summaries.ts'
import { eachOnce } from '../degradations.ts'
import { inParts, outcomeOfParts, writeAll } from '../parts.ts'
import { isShown, planStep } from '../plan-step.ts'
import type { Asked } from '../tidying/merges.ts'
import { tidyScopes } from '../tidying/tidy-scopes.ts'
import type { LeftAlone, TidyingOptions } from '../tidying/tidying.ts'
import { type Call, defineVerb, kindsField, writeOptions } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import { type Answered, callKey, outcomeOf, type Planned, planOf, runWrite } from '../write-verb.ts'

const dayMs = 86_400_000
/** A session that got nothing for so many days has ended, where the caller says nothing else. */
const sessionDays = 7

const input = () =>
  z.strictObject({
    kinds: kindsField(),
    olderThanDays: z.number().min(0).max(36_500).optional(),
    episodes: z.enum(['keep', 'summarise', 'archive']).optional(),
    minRetention: z.number().min(0).max(1).optional(),
    instructions: z.string().min(1).max(8192).optional(),
    onProgress: z.custom<(done: number, total: number) => void>((value) => typeof value === 'function').optional(),
    ...writeOptions,
  })
type Input = z.infer<ReturnType<typeof input>>

function optionsOf({ core }: Call, given: Input): TidyingOptions {
  const { kinds = ['semantic', 'episodic'], olderThanDays, signal } = given
  const other = kinds.find((kind) => !isMergedKind(kind))
  if (other !== undefined) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `consolidate: memories of kind ${JSON.stringify(other).slice(0, 80)} are never merged. Name kinds such as semantic and episodic.`,
    })
  }
  const now = core.clock()
  return {
    kinds,
    before: now - (olderThanDays ?? 0) * dayMs,
    minRetention: given.minRetention ?? 0.9,
    instructions: given.instructions,
    episodes: given.episodes ?? 'summarise',
    endedBefore: now - (olderThanDays ?? sessionDays) * dayMs,
    signal,
  }
}

type Extra = {
  readonly ops: readonly { readonly op: PlanOp; readonly id: string | null; readonly record: boolean }[]
  readonly ignored: readonly LeftAlone[]
  readonly more: boolean
}

/** What is shown of each step, in the order of the plan. */
function shownOf(steps: readonly WorkStep[]): Extra['ops'] {
  return steps.filter(isShown).map((step) => {
    const { op } = planStep(step)
    if (step.type === 'put') return { op, id: step.after.id, record: true }
    return { op, id: 'before' in step ? step.before.record.id : null, record: false }
  })
}

interface Consolidated extends ConsolidateResult {
  readonly more: boolean
}

function answerOf(answered: Answered): Consolidated {
  const { ops, ignored, more } = answered.extra as unknown as Extra
  const records: MemoryRecord[] = [...answered.records]
  const results = ops.map(({ op, id, record }) => ({
    op,
    ...(id === null ? {} : { id }),
    ...(record ? { record: records.shift() as MemoryRecord } : {}),
  }))
  const { plan, ...outcome } = outcomeOf(answered) as { plan?: Plan; tx?: string }
  return plan ? { plan, ignored, more } : { results, ignored, more, ...outcome }
}

export const consolidate = defineVerb({
  name: 'consolidate',
  summary: 'Tidy up: say once what was said more than once, sum up sessions that have ended.',
  positional: [],
  input,
  writes: true,
  example: 'mneme consolidate --dry-run --user ann',
  async run(call, given): Promise<ConsolidateResult> {
    const { core, access } = call
    const scope = writeScope(access, given.scope)
    const { onProgress, ...rest } = given
    const options = optionsOf(call, given)
    const key = callKey('consolidate', scope, rest)
    const asked: Asked = { answers: new Map(), down: false }
    let made: { plan: Plan; degraded: ConsolidateResult['degraded'] } | undefined
    const plan = async (): Promise<Planned> => {
      const { steps, ignored, degraded, more } = await tidyScopes(
        core,
        reachScope(access, given.scope),
        options,
        asked,
        onProgress,
      )
      made = { plan: await planOf(core, steps, given.signal), degraded }
      const refs = steps.flatMap((step) =>
        step.type === 'put' && !step.unplanned ? [{ id: step.after.id, scope: step.after.scope }] : [],
      )
      return { steps, refs, extra: { ops: shownOf(steps), ignored, more } as unknown as JsonValue }
    }
    const withDegraded = (degraded: ConsolidateResult['degraded'] = []) => {
      const all = [...(made?.degraded ?? []), ...degraded]
      return all.length === 0 ? {} : { degraded: eachOnce(all) }
    }
    const write = { name: 'consolidate', scope, answer: answerOf }
    if (given.dryRun) {
      const { more, plan: shown, ignored } = await runWrite(core, { ...write, plan }, rest, key)
      return { ...(more ? {} : { plan: shown }), ignored, ...withDegraded() }
    }
    const parts = inParts(core, write, rest, key, 'make the call again to go on.')
    const answers = await writeAll(parts, plan)
    const { degraded, ...outcome } = outcomeOfParts(parts.tx, answers)
    return {
      ...(answers.length === 1 && made ? { plan: made.plan } : {}),
      results: answers.flatMap(({ results = [] }) => results),
      ignored: answers.flatMap(({ ignored }) => ignored),
      ...outcome,
      ...withDegraded(degraded),
    }
  },
})
