/** What `why` reads of an explanation: of a hit, or the parts of `explain`. */
export interface Reasons {
  /** 0..1 */
  readonly relevance?: number
  readonly signals: Readonly<Record<string, number | undefined>>
}

/** Signals in plain words, each with how strongly it speaks (0..1). docs/search.md has all of them. */
const reasons: readonly { readonly words: string; strength(signals: Reasons['signals']): number }[] = [
  // By ranks alone there are no shares, only what was measured.
  { words: 'close in meaning', strength: ({ meaning, cosine = 0 }) => meaning ?? cosine },
  { words: 'the same words', strength: ({ words, bm25 = 0 }) => words ?? (bm25 > 0 ? 1 : 0) },
  { words: 'words that resemble the question', strength: ({ coverage = 0 }) => coverage },
  { words: 'the turn before it fits', strength: ({ previous = 0 }) => previous },
  { words: 'the turn after it fits', strength: ({ next = 0 }) => next },
  { words: 'answers a question that fits', strength: ({ previousQuestion = 0 }) => previousQuestion },
  { words: 'said by the person asked about', strength: ({ askedActor = 0 }) => 0.8 * askedActor },
  { words: 'names a time', strength: ({ whenWithTime = 0 }) => 0.7 * whenWithTime },
  { words: 'holds a number', strength: ({ howManyWithNumber = 0 }) => 0.7 * howManyWithNumber },
  { words: 'names a place', strength: ({ whereWithPlace = 0 }) => 0.7 * whereWithPlace },
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
