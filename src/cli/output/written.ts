import type { Degradation, Plan } from '../../engine/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bad, type Line, line, wholeLine } from './lines.ts'
import { planLines, txCells } from './plan.ts'

/** What a write answers, carried out or as a dry run. */
export type Written<Result> = Omit<Result, 'tx' | 'plan' | 'degraded'> & {
  readonly tx?: string | undefined
  readonly plan?: Plan | undefined
  readonly degraded?: readonly Degradation[] | undefined
}

export function failedStages(degraded: readonly Degradation[] | undefined): string[] {
  const named = (stage: Degradation['stage']) => (stage === 'hot' || stage === 'cold' ? `${stage} tier` : stage)
  return (degraded ?? []).map(
    ({ stage, code, message }) => `The ${named(stage)} could not do its part: ${code}: ${message}`,
  )
}

/** What an answer says of itself that the notes don't say yet: what it may lack, and that it may be lost. */
export function unsaid(answer: unknown, notes: readonly string[]): string[] {
  if (typeof answer !== 'object' || answer === null) return []
  const { degraded, durable } = answer as { degraded?: readonly Degradation[]; durable?: boolean }
  const lacks = Array.isArray(degraded) ? failedStages(degraded).filter((text) => !notes.includes(text)) : []
  return durable === false ? [...lacks, 'Accepted, and not durable yet: part of the store is away.'] : lacks
}

/** What was done, each in a line, and in which transaction; or the plan of what would be. */
export function written(answer: Written<object>, asked: Asked, done: readonly Line[]): Rendering {
  if (answer.plan) return planLines(answer.plan, asked)
  if (asked.options.dryRun === true) return { lines: [line('would be:'), ...done], notes: ['Nothing was written.'] }
  const last = done.at(-1)
  // Whole: an id that is cut off is none.
  const withTx = last ? [...done.slice(0, -1), wholeLine(...last.cells, ...txCells(answer.tx))] : []
  return { lines: withTx, notes: failedStages(answer.degraded) }
}

/** Of a write that contradicts what is known: what waits, and how to decide. */
export function contradicted(answer: Written<object>, asked: Asked, conflict: string, quarantined: string): Rendering {
  const rendering = written(answer, asked, [
    line(bad('conflict'), '  ', quarantined, '  waits in quarantine: what is known is as it was'),
  ])
  if (answer.plan) return rendering
  const how = `Both sides: mneme conflicts list. To decide: mneme conflicts resolve ${conflict} --keep first, second, both or neither.`
  return { ...rendering, notes: [...(rendering.notes ?? []), how] }
}
