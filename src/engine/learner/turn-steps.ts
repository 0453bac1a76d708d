import type { Turn } from '../../learning/index.ts'
import type { NewMemory, Scope } from '../../model/index.ts'
import type { PlanStep } from '../api/plan.ts'
import type { Call } from '../verb.ts'
import { planAdds } from '../verbs/add-planning.ts'
import { episodeKind } from '../verbs/episodes/record.ts'
import type { WorkStep } from '../work.ts'
import { sourceTypeOf } from './learned.ts'

/** The turn as it was said; without its gaps where parts of it are left out. */
function wordsOf({ content, text }: Turn): string {
  return text === content ? content : text.replace(/ {2,}/g, ' ').trim()
}

function memoryOf(turn: Turn): NewMemory {
  const { at, zone, name } = turn
  return {
    kind: episodeKind,
    content: wordsOf(turn),
    source: { type: sourceTypeOf(turn), ...(name === undefined ? {} : { actor: name }) },
    ...(at === undefined ? {} : { eventTime: { start: at, ...(zone === undefined ? {} : { zone }) } }),
  }
}

export interface TurnSteps {
  readonly steps: readonly WorkStep[]
  /** Id of the episode of each turn, by its position. */
  readonly ids: ReadonlyMap<number, string>
}

/** Turns kept as they are: an episode each, with who said it and when. One that is there already is not stored again. */
export async function turnSteps(
  call: Call,
  turns: readonly Turn[],
  scope: Scope,
  evidenceOf: (turn: Turn) => PlanStep['evidence'],
  signal?: AbortSignal,
): Promise<TurnSteps> {
  const planned = await planAdds(call, turns.map(memoryOf), scope, { ifExists: 'error', dedupe: true, signal })
  const ids = new Map(turns.map(({ position }, i) => [position, (planned.refs[i] as { readonly id: string }).id]))
  const evidence = new Map<string, PlanStep['evidence']>()
  for (const turn of turns) {
    const id = ids.get(turn.position) as string
    evidence.set(id, [...(evidence.get(id) ?? []), ...evidenceOf(turn)])
  }
  const steps = planned.steps.map((step): WorkStep => {
    if (step.type === 'put') return { reason: 'said', evidence: evidence.get(step.after.id) ?? [], ...step }
    return step.type === 'noop' ? { ...step, evidence: evidence.get(step.before.record.id) ?? [] } : step
  })
  return { steps, ids }
}
