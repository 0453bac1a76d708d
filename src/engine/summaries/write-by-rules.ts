import type { TokenCounter } from '../../contract/index.ts'
import { pickSentences, type SummaryItem, type SummarySentence } from '../../learning/index.ts'
import type { WriteSummary } from './refresh-summary.ts'

/** Tokens of a summary where the caller says nothing. */
export const defaultSummaryTokens = 300

export interface SummaryBudget {
  readonly tokens: number
  readonly counter: TokenCounter
  readonly query?: string | undefined
  render(sentences: readonly SummarySentence[]): string
}

/** The best sentences as they stand. */
export function byRules(budget: SummaryBudget): WriteSummary {
  return async (items: readonly SummaryItem[]) => ({
    sentences: pickSentences(items, budget),
    by: 'rules',
    degraded: [],
  })
}
