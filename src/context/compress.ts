import { z } from 'zod'
import type { TokenCounter } from '../contract/index.ts'
import { InputError } from '../errors/index.ts'
import { madeOnce, parseWith } from '../model/index.ts'
import { counterFor, inconsistentCounter, prefixWithin, type TokenProvider } from '../text/index.ts'
import { joinPassages, type Passage, passagesOf } from './passages.ts'
import { type ScoredPassage, scorePassages } from './score-passages.ts'

export interface CompressOptions {
  /** Most tokens of the result: a whole number from 0 on. */
  readonly tokens: number
  /** A counter, or the provider it is to fit. @default 'words' */
  readonly counter?: TokenCounter | TokenProvider | undefined
  /** What is asked: passages that answer it come first. @default what the text is mostly about */
  readonly query?: string | undefined
}

export interface Compressed {
  readonly text: string
  readonly tokens: number
}

/** A passage that says less than so much that is new repeats what is kept. */
const leastNew = 0.25

/** A counter of tokens, by its name or as it is; whether it is one, `counterFor` checks. */
export const counterField = madeOnce(() =>
  z.union([z.string(), z.custom<TokenCounter>((value) => typeof value === 'object' && value !== null)]).optional(),
)

const schema = madeOnce(() =>
  z.strictObject({ tokens: z.int().min(0), counter: counterField(), query: z.string().optional() }),
)

/**
 * The passages of a text that say most, as they stand and in their order, within a number of tokens: sentences, headings, rows of
 * tables and pieces of code, each whole where one fits. The same input gives the same output. A text that fits is returned as it
 * is; 0 tokens give an empty one (CMP-1).
 * @throws InputError INVALID_ARGUMENT, UNKNOWN_FIELD; INVALID_ARGUMENT for a counter that throws or contradicts itself
 */
export function compress(text: string, options: CompressOptions): Compressed {
  if (typeof text !== 'string') {
    throw new InputError({ code: 'INVALID_ARGUMENT', message: 'text: must be a string.', details: { field: 'text' } })
  }
  const { tokens, query, counter: given } = parseWith(schema(), options, 'options')
  return compressWith(text, { tokens, query, counter: counterFor(given) })
}

/** `compress` with options that are known to be right. */
export function compressWith(
  text: string,
  { tokens, query, counter }: { tokens: number; query?: string | undefined; counter: TokenCounter },
): Compressed {
  if (tokens === 0 || text === '') return { text: '', tokens: 0 }
  const whole = counter.count(text)
  if (whole <= tokens) return { text, tokens: whole }
  const passages = passagesOf(text)
  const scored = scorePassages(passages, query)
  const order = scored
    .map((_, i) => i)
    .sort((a, b) => (scored[b] as ScoredPassage).score - (scored[a] as ScoredPassage).score || a - b)
  const chosen = choose(passages, scored, order, tokens, counter)
  // What parts cost together, only the whole tells: as many of the best as fit.
  let [low, high] = [0, chosen.length]
  let best = ''
  for (let count = high; low < high; count = (low + high + 1) >> 1) {
    const joined = joinPassages(
      passages,
      chosen.slice(0, count).sort((a, b) => a - b),
    )
    if (counter.count(joined) <= tokens) {
      best = joined
      low = count
    } else high = count - 1
  }
  const first = order.find((i) => (passages[i] as Passage).text.trim() !== '')
  if (best === '' && first !== undefined) {
    best = prefixWithin((passages[first] as Passage).text.trim(), tokens, counter.count)
  }
  const used = counter.count(best)
  if (used > tokens) throw inconsistentCounter()
  return { text: best, tokens: used }
}

/** Passages by what they say, as long as each fits beside those before; what repeats them comes last. With a passage comes what it stands under. */
function choose(
  passages: readonly Passage[],
  scored: readonly ScoredPassage[],
  order: readonly number[],
  tokens: number,
  counter: TokenCounter,
): number[] {
  const chosen = new Set<number>()
  const said = new Set<string>()
  const repeating: number[] = []
  let left = tokens
  const costs = new Map<number, number>()
  const costOf = (i: number): number => {
    const known = costs.get(i)
    if (known !== undefined) return known
    const { text, before } = passages[i] as Passage
    const cost = counter.count(text) + (before.includes('\n') ? 1 : 0)
    costs.set(i, cost)
    return cost
  }
  const take = (i: number): boolean => {
    if (chosen.has(i) || costOf(i) > left) return false
    const { under } = passages[i] as Passage
    // The first line break costs nothing; what that is off by, the whole will tell.
    if (under !== undefined && !chosen.has(under) && costOf(i) + costOf(under) <= left) {
      chosen.add(under)
      left -= costOf(under)
    }
    chosen.add(i)
    left -= costOf(i)
    for (const term of (scored[i] as ScoredPassage).terms) said.add(term)
    return true
  }
  for (const i of order) {
    if (left <= 0) break
    const { kind } = passages[i] as Passage
    if (kind === 'rule' || kind === 'heading' || kind === 'table-head') continue
    const { terms } = scored[i] as ScoredPassage
    const isNew = terms.filter((term) => !said.has(term)).length >= terms.length * leastNew && terms.length > 0
    if (!isNew) repeating.push(i)
    else take(i)
  }
  for (const i of [...repeating, ...order]) if (left > 0 && (passages[i] as Passage).kind !== 'rule') take(i)
  return [...chosen]
}
