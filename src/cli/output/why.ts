/** What `why` reads of an explanation: of a hit, or the parts of `explain`. */
export interface Reasons {
  /** 0..1 */
  readonly relevance?: number
  readonly signals: Readonly<Record<string, number | undefined>>
}

/** Signals in plain words, each with how strongly it speaks (0..1). docs/search.md has all of them. */
const reasons: readonly { readonly words: string; strength(signals: Reasons['signals']): number }[] = [
  // By ranks alone there are no shares, only what was measured.
  { words: 'close in meaning', strength: ({ d, cosine = 0 }) => d ?? cosine },
  { words: 'the same words', strength: ({ b, bm25 = 0 }) => b ?? (bm25 > 0 ? 1 : 0) },
  { words: 'words that resemble the question', strength: ({ m2 = 0 }) => m2 },
  { words: 'the turn before it fits', strength: ({ fp1 = 0 }) => fp1 },
  { words: 'the turn after it fits', strength: ({ fn1 = 0 }) => fn1 },
  { words: 'answers a question that fits', strength: ({ prevqF = 0 }) => prevqF },
  { words: 'said by the person asked about', strength: ({ am = 0 }) => 0.8 * am },
  { words: 'names a time', strength: ({ whenRt = 0 }) => 0.7 * whenRt },
  { words: 'holds a number', strength: ({ hmNu = 0 }) => 0.7 * hmNu },
  { words: 'names a place', strength: ({ wherePl = 0 }) => 0.7 * wherePl },
]
const worthSaying = 0.4
const mostReasons = 3
/** Below this the best of a search is as likely as not about something else. */
const weak = 0.1

/** Why a memory was found, in plain words, strongest reason first. */
export function why({ relevance = 1, signals }: Reasons): string {
  const speaking = reasons
    .map(({ words, strength }) => ({ words, strength: strength(signals) }))
    .filter(({ strength }) => strength >= worthSaying)
    .sort((a, b) => b.strength - a.strength)
    .slice(0, mostReasons)
  const said = speaking.map(({ words }) => words).join(', ')
  if (relevance >= weak) return said === '' ? 'a little of everything' : said
  return said === '' ? 'little speaks for it' : `little speaks for it: ${said}`
}
