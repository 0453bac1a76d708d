import type { Plan, PlanStep } from '../../engine/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bold, type Cell, dim, type Line, line } from './lines.ts'

/** The transaction, for undo. */
export function txCells(tx: string | undefined): Cell[] {
  return tx === undefined ? [] : ['  ', dim(`tx ${tx}`)]
}

/** The words that a step comes from, where they are not its own. */
export function quoteLines({ evidence, after }: PlanStep): Line[] {
  return evidence.flatMap(({ message, quote }) =>
    quote === '' || quote === after?.content ? [] : [line('      ', dim(`${message}: “${quote}”`))],
  )
}

/** What becomes of a memory that does not stay live: of a `supersede` one ends and one begins. */
export function statusCells({ after }: PlanStep): Cell[] {
  return after === undefined || after.status === 'live' ? [] : [dim(`  ${after.status}`)]
}

function stepLines(step: PlanStep, i: number): Line[] {
  const { op, before, after, link, reason } = step
  const about = link ? `${link.from} → ${link.to}  ${link.type}` : (before?.id ?? after?.id ?? '(new)')
  const content = after?.content ?? before?.content
  return [
    line(`${i + 1}. `, bold(op), '  ', dim(about), ...(reason === '' ? [] : [`  ${reason}`]), ...statusCells(step)),
    ...(content === undefined ? [] : [line('      ', content)]),
    ...quoteLines(step),
  ]
}

/** What would happen, step by step, and how to have it happen: in the same place, whose memory it is included. */
export function planLines({ steps }: Plan, { place }: Asked): Rendering {
  return {
    lines: steps.flatMap(stepLines),
    notes: [
      steps.length === 0
        ? 'There is nothing to do.'
        : `Nothing was written. To carry the plan out: the same with -o json, piped into ${['mneme apply', place].join(' ').trim()}`,
    ],
  }
}
