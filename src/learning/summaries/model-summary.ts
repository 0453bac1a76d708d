import { z } from 'zod'
import { dateWords } from '../../text/index.ts'
import { frameData } from '../prompts/index.ts'
import { inventedIn } from './facts-of-text.ts'
import type { PickOptions, SummaryItem, SummarySentence } from './pick-sentences.ts'

const dayOf = (at: number): string => dateWords({ start: new Date(at).toISOString(), granularity: 'day' })

/** What a model is shown: the memories by number, from 1, what is asked, and how long the summary may be. */
export function summaryMessage(
  items: readonly SummaryItem[],
  { query, tokens }: Pick<PickOptions, 'query' | 'tokens'>,
): string {
  const memories = items.map(({ content, actor, at }, i) => ({
    number: i + 1,
    when: dayOf(at),
    ...(actor === undefined ? {} : { by: actor }),
    text: content,
  }))
  const question = query === undefined ? '' : `${frameData('question', query)}\n`
  return `${frameData('memories', memories)}\n${question}At most ${Math.max(1, Math.floor(tokens * 0.7))} words.`
}

/** The answer that a summary of so many memories has. */
export function summaryAnswer(memories: number) {
  const source = z.int().min(1).max(memories)
  return z.object({
    sentences: z
      .array(z.object({ text: z.string().trim().min(1).max(2000), sources: z.array(source).min(1).max(100) }))
      .min(1)
      .max(200),
  })
}
type SummaryAnswer = z.infer<ReturnType<typeof summaryAnswer>>

/** A summary that a model wrote, checked; or what is wrong with it. */
export type CheckedSummary =
  | { readonly ok: true; readonly sentences: readonly SummarySentence[] }
  | { readonly ok: false; readonly reason: string }

/**
 * Holds each sentence against the memories that it names: a number, a name or a negation that none of them has is invented, and the
 * whole answer is not used. As many sentences as fit are kept, in the order that they were written in.
 */
export function checkedSummary(
  { sentences }: SummaryAnswer,
  items: readonly SummaryItem[],
  { tokens, counter, render }: PickOptions,
): CheckedSummary {
  let kept: SummarySentence[] = []
  for (const { text: written, sources } of sentences) {
    const text = written.replace(/\s+/g, ' ')
    const named = sources.map((number) => items[number - 1] as SummaryItem)
    const invented = inventedIn(
      text,
      named.map(({ content, actor, at }) => `${actor ?? ''} ${content}\n${dayOf(at)}`),
    )
    if (invented !== null) return { ok: false, reason: `a sentence says ${invented} that its sources do not say` }
    const sentence = {
      text,
      from: [...new Set(named.flatMap(({ from }) => from))],
      at: Math.max(...named.map(({ at }) => at)),
      importance: Math.max(...named.map(({ importance }) => importance)),
    }
    if (counter.count(render([...kept, sentence])) <= tokens) kept = [...kept, sentence]
  }
  return kept.length > 0 ? { ok: true, sentences: kept } : { ok: false, reason: 'no sentence is as short as was asked' }
}
