import type { TokenCounter } from '../../contract/index.ts'
import { escapeMemoryText, isStopWord, sentences, terms, words } from '../../text/index.ts'
import { statementForm } from '../statements/index.ts'

/** A memory, as far as a summary looks at it. */
export interface SummaryItem {
  /** Ids of the memories that the text is from: more than one where a sentence was written from several. */
  readonly from: readonly string[]
  readonly content: string
  /** A sentence of a summary already: not taken apart. @default false */
  readonly whole?: boolean | undefined
  /** Who says it, as they are called. */
  readonly actor?: string | undefined
  /** When it happened or was made, epoch milliseconds: the order of the summary. */
  readonly at: number
  /** 0..1. */
  readonly importance: number
}

/** A sentence of a summary, with the memories that it is from. */
export interface SummarySentence {
  readonly text: string
  readonly from: readonly string[]
  readonly at: number
  readonly importance: number
}

export interface PickOptions {
  readonly tokens: number
  readonly counter: TokenCounter
  readonly query?: string | undefined
  /** The text as it will be, for what it costs. */
  render(sentences: readonly SummarySentence[]): string
}

interface Candidate extends SummarySentence {
  readonly place: number
  readonly terms: readonly string[]
}

/** Sentences that are looked at closely: of more, those that score best by themselves. */
const considered = 400
/** What a word that is in the summary already still counts. */
const repeated = 0.2
/** Against no more than its centre, how much a word of the query counts. */
const queryWeight = 4

/** Stemmed words that say something. */
export function contentTerms(text: string): string[] {
  return [
    ...new Set(
      words(text)
        .filter((word) => !isStopWord(word))
        .flatMap(terms),
    ),
  ]
}

/** The earliest first, ties by id. */
export function byAge(a: SummaryItem, b: SummaryItem): number {
  const [first = '', second = ''] = [a.from[0], b.from[0]]
  return a.at - b.at || (first < second ? -1 : first > second ? 1 : 0)
}

function candidatesOf(items: readonly SummaryItem[]): Candidate[] {
  const ordered = [...items].sort(byAge)
  const seen = new Set<string>()
  const found: Candidate[] = []
  for (const { content, actor, whole, ...item } of ordered) {
    for (const sentence of whole ? [content] : sentences(content)) {
      const text = actor === undefined ? sentence : `${actor}: ${sentence}`
      const form = text.length > 2000 ? text : statementForm(text)
      const said = contentTerms(sentence)
      // What was said before, and what says nothing (`Yes!`).
      if (said.length === 0 || seen.has(form)) continue
      seen.add(form)
      found.push({ ...item, text, place: found.length, terms: said })
    }
  }
  return found
}

/** How much each word matters: how often it is said in all, and whether it is asked for. */
function weightsOf(candidates: readonly Candidate[], query: string | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const one of candidates) for (const term of one.terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  const asked = new Set(query === undefined ? [] : contentTerms(query))
  const all = candidates.length
  return new Map(
    [...counts].map(([term, count]) => {
      // Said everywhere tells nothing apart when something is asked; when nothing is, it is what it is about.
      const rarity = Math.log(1 + all / count)
      return [term, asked.has(term) ? queryWeight * (1 + rarity) : Math.log(1 + count)]
    }),
  )
}

/**
 * The sentences that say most, each word counted once, within the tokens: in the order of time, whole. If not even one goes in whole, the
 * best is cut. The same memories give the same sentences. Greedy, after SumBasic (Nenkova and Vanderwende, 2005), with
 * importance and the query as weights.
 */
export function pickSentences(items: readonly SummaryItem[], options: PickOptions): SummarySentence[] {
  const { tokens, counter, render } = options
  if (tokens < 1) return []
  const all = candidatesOf(items)
  const weights = weightsOf(all, options.query)
  const covered = new Set<string>()
  const value = (one: Candidate) => {
    let sum = 0
    for (const term of one.terms) sum += (weights.get(term) as number) * (covered.has(term) ? repeated : 1)
    return ((0.5 + one.importance) * sum) / Math.sqrt(one.terms.length + 2)
  }
  let left = all
    .map((one) => ({ one, score: value(one) }))
    .sort((a, b) => b.score - a.score || a.one.place - b.one.place)
    .slice(0, considered)
    .map(({ one }) => one)
  const first = left[0]
  const inOrder = (some: readonly Candidate[]) => [...some].sort((a, b) => a.place - b.place)
  let picked: Candidate[] = []
  while (left.length > 0) {
    let best = left[0] as Candidate
    let bestValue = value(best)
    for (const one of left) {
      const own = value(one)
      if (own > bestValue || (own === bestValue && one.place < best.place)) [best, bestValue] = [one, own]
    }
    left = left.filter((one) => one !== best)
    const next = inOrder([...picked, best])
    if (counter.count(render(next.map(sentenceOf))) > tokens) continue
    picked = next
    for (const term of best.terms) covered.add(term)
  }
  if (picked.length > 0 || !first) return picked.map(sentenceOf)
  return cut(sentenceOf(first), options)
}

function sentenceOf({ text, from, at, importance }: Candidate): SummarySentence {
  return { text, from, at, importance }
}

/** As much of a sentence as goes in. */
function cut(sentence: SummarySentence, { tokens, counter, render }: PickOptions): SummarySentence[] {
  for (let most = tokens; most > 0; most--) {
    const text = counter.truncate(sentence.text, most).trimEnd()
    if (text === '') return []
    const shorter = [{ ...sentence, text }]
    if (counter.count(render(shorter)) <= tokens) return shorter
  }
  return []
}

/** A sentence a line. */
export function summaryText(sentences: readonly Pick<SummarySentence, 'text'>[]): string {
  return sentences.map(({ text }) => text).join('\n')
}

/**
 * A sentence a line, with the numbers of what it is from: `[1]` is the first of the sources. Nothing that a sentence says can be taken for
 * such a number, or for another line.
 */
export function citedText(sentences: readonly SummarySentence[]): {
  readonly text: string
  readonly sources: readonly string[]
} {
  const sources: string[] = []
  const lines = sentences.map(({ text, from }) => {
    const labels = from.map((id) => {
      const place = sources.indexOf(id)
      return `[${place < 0 ? sources.push(id) : place + 1}]`
    })
    return `${escapeMemoryText(text, 'text')} ${labels.join('')}`
  })
  return { text: lines.join('\n'), sources }
}
