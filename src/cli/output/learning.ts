import type { IgnoredPart, LearnResult, PlanStep } from '../../engine/index.ts'
import { amount } from './amount.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bold, type Cell, dim, type Line, line, wholeLine } from './lines.ts'
import { planLines, quoteLines, statusCells, txCells } from './plan.ts'
import { failedStages } from './written.ts'

function stepLines(step: PlanStep): Line[] {
  const { op, before, after, reason } = step
  const id = after?.id ?? before?.id ?? ''
  return [
    line(bold(op), '  ', after?.content ?? before?.content ?? ''),
    line('      ', dim(`${id}  ${reason}`), ...statusCells(step)),
    ...quoteLines(step),
  ]
}

/** `nothing learnt from messages[0] (system), messages[4] (boilerplate)` */
function ignoredNotes(ignored: readonly IgnoredPart[]): string[] {
  if (ignored.length === 0) return []
  const shown = ignored.map(
    ({ message, reason, quote }) => `${quote === undefined ? '' : 'a part of '}${message} (${reason})`,
  )
  return [`Nothing was learnt from ${shown.join(', ')}.`]
}

/** What was learnt, step by step, with the words it comes from; or what would be. */
export function learnt(answer: LearnResult, asked: Asked): Rendering {
  const { plan, ignored, degraded, tx } = answer
  const notes = [...ignoredNotes(ignored), ...failedStages(degraded)]
  if (asked.options.dryRun === true) {
    const shown = planLines(plan, asked)
    return { ...shown, notes: [...(shown.notes ?? []), ...notes] }
  }
  const changed = plan.steps.filter(({ op }) => op !== 'noop').length
  const sum: Cell[] = [changed === 0 ? 'nothing new' : `${amount(changed, 'step')} in one transaction`, ...txCells(tx)]
  return { lines: [...plan.steps.flatMap(stepLines), wholeLine(...sum)], notes }
}
