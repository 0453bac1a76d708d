import type { Degradation, Plan } from '../../engine/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bad, dim, type Line, line, wholeLine } from './lines.ts'
import { planLines, txCells } from './plan.ts'

/** What a write answers, carried out or as a dry run. */
export type Written<Result> = Omit<Result, 'tx' | 'plan' | 'degraded'> & {
  readonly tx?: string | undefined
  readonly plan?: Plan | undefined
  readonly degraded?: readonly Degradation[] | undefined
}

export function failedStages(degraded: readonly Degradation[] | undefined): string[] {
  return (degraded ?? []).map(({ stage, code, message }) => `The ${stage} could not do its part: ${code}: ${message}`)
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

/** What a write says that was not carried out, because it contradicts what is known. */
export function contradictionLines(conflict: string, quarantined: string): Line[] {
  return [
    line(bad('conflict'), '  ', quarantined, '  waits in quarantine: what is known is as it was'),
    line(dim(`  mneme conflicts list shows both; mneme conflicts resolve ${conflict} decides`)),
  ]
}
