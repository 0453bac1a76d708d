import type { ConsolidateResult, KeptSummaryResult, RefreshResult, SummarizeResult } from '../../engine/index.ts'
import { amount, memories } from './amount.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { dim, good, type Line, line, table, wholeLine } from './lines.ts'
import { failedStages, type Written, written } from './written.ts'

type Renderer<Answer> = (answer: Answer, asked: Asked) => Rendering

/** What failed while a plan was made: a plan does not say. */
function untold({ plan, degraded }: Written<object>): string[] {
  return plan ? failedStages(degraded) : []
}

/** What was merged, archived and summed up, or its plan; and what was left alone. */
export const consolidated: Renderer<Written<ConsolidateResult>> = (answer, asked) => {
  const { results = [], ignored } = answer
  const apart = ignored.map(
    ({ ids, reason }) => `Left as ${ids.length === 1 ? 'it is' : 'they are'}: ${ids.join(', ')} (${reason})`,
  )
  const done = [
    ...table(results.map(({ op, id }) => [good(op), id ?? ''])),
    line(`${amount(results.length, 'change')}`),
  ]
  // The plan of what was done is there too: only a dry run shows it.
  const { plan, ...rest } = answer
  const shown = written(asked.options.dryRun === true ? answer : rest, asked, done)
  return {
    ...shown,
    notes: [...(shown.notes ?? []), ...(asked.options.dryRun === true ? untold(answer) : []), ...apart],
  }
}

function summaryLines(text: string): Line[] {
  return text === '' ? [] : text.split('\n').map((sentence) => wholeLine(sentence))
}

/** The sentences, then the ids of their sources. */
export const summarized: Renderer<SummarizeResult> = ({ text, sources, degraded }) => ({
  lines: [...summaryLines(text), ...sources.map((id, i) => line(dim(`[${i + 1}] ${id}`)))],
  notes: [...(sources.length === 0 ? ['Nothing is remembered about that.'] : []), ...failedStages(degraded)],
})

export const summaryRefreshed: Renderer<Written<RefreshResult>> = (answer, asked) => {
  if (answer.record === null && !answer.plan)
    return { lines: [], notes: ['There is nothing to sum up.', ...failedStages(answer.degraded)] }
  const kept = line(good('kept'), `  of ${memories(answer.sources.length)}`)
  const shown = written(answer, asked, [...summaryLines(answer.text), kept])
  return { ...shown, notes: [...(shown.notes ?? []), ...untold(answer)] }
}

export const summaryKept: Renderer<KeptSummaryResult | null> = (answer) =>
  answer === null
    ? { lines: [], notes: ['No such summary is kept: mneme summaries refresh makes it.'] }
    : {
        lines: summaryLines(answer.text),
        notes: answer.stale ? ['It is out of date: mneme summaries refresh brings it up to date.'] : [],
      }
