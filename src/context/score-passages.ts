import { madeOnce } from '../model/index.ts'
import { bm25Max, bm25Term, idf, queryTerms, stopWords, terms } from '../text/index.ts'
import type { Passage } from './passages.ts'

export interface ScoredPassage {
  readonly score: number
  /** What it is about: its distinct terms without stop words. */
  readonly terms: readonly string[]
}

/** What being central to the text counts beside being asked for. */
const centralShare = 0.25
/** What the neighbour of a passage that was asked for gets of that: an answer often stands beside the words of its question. */
const neighbourShare = 0.3
/** Texts say first what they are about: what makes the first sentences so strong a baseline of summaries. */
const firstOfText = 0.1
const firstOfParagraph = 0.03
/** A passage of fewer terms says too little to stand alone. */
const fullTerms = 4

/** The terms of words too common to say what a text is about. */
const stopTerms = madeOnce(() => new Set([...stopWords.en].flatMap((word) => terms(word))))

/**
 * How much each passage says (CMP-3). Without a query: the mean probability of its terms in the text (SumBasic of Nenkova and Vanderwende, 2005,
 * without its updates), and a little for standing first. With one: BM25 of the query over the passages, as a share of what it could be, and
 * a part of that for neighbours, with the former beside it. Linear in the text.
 */
export function scorePassages(passages: readonly Passage[], query: string | undefined): ScoredPassage[] {
  const stopped = stopTerms()
  const all = passages.map(({ text }) => terms(text))
  const frequency = new Map<string, number>()
  for (const own of all) for (const term of own) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  const about = all.map((own) => [...new Set(own)].filter((term) => !stopped.has(term)))

  const central = about.map((own) => {
    let sum = 0
    for (const term of own) sum += frequency.get(term) as number
    return own.length === 0 ? 0 : (sum / own.length) * Math.min(1, own.length / fullTerms)
  })
  const mostCentral = central.reduce((most, value) => Math.max(most, value), 0) || 1
  const asked = askedFor(all, query)
  return passages.map(({ kind, paragraph }, i) => {
    const first = i === 0 ? firstOfText : passages[i - 1]?.paragraph === paragraph ? 0 : firstOfParagraph
    const near = Math.max(asked?.[i - 1] ?? 0, asked?.[i + 1] ?? 0)
    const wanted = asked ? Math.max(asked[i] as number, near * neighbourShare) : 0
    const own = ((central[i] as number) / mostCentral) * (asked ? centralShare : 1) + first
    return { score: kind === 'rule' ? -1 : wanted + own, terms: about[i] as string[] }
  })
}

/** How much of the query each passage has, 0 to 1; undefined where none has any. */
function askedFor(all: readonly (readonly string[])[], query: string | undefined): number[] | undefined {
  const stopped = stopTerms()
  const every = query === undefined ? [] : queryTerms(query)
  const content = every.filter((term) => !stopped.has(term))
  const wanted = new Set((content.length > 0 ? content : every).slice(0, 256))
  if (wanted.size === 0) return undefined
  const documents = new Map<string, number>()
  const counts = all.map((own) => {
    const found = new Map<string, number>()
    for (const term of own) if (wanted.has(term)) found.set(term, (found.get(term) ?? 0) + 1)
    for (const term of found.keys()) documents.set(term, (documents.get(term) ?? 0) + 1)
    return found
  })
  if (documents.size === 0) return undefined
  const idfs = new Map([...wanted].map((term) => [term, idf(documents.get(term) ?? 0, all.length)]))
  const most = bm25Max(idfs.values())
  const average = all.reduce((sum, own) => sum + own.length, 0) / Math.max(1, all.length)
  return counts.map((found, i) => {
    let sum = 0
    for (const [term, count] of found)
      sum += bm25Term(idfs.get(term) as number, count, (all[i] as string[]).length, average)
    return sum / most
  })
}
