/** Signals of an explanation in plain words, each with how strongly it speaks (0..1). See docs/search.md for all of them. */
const reasons = [
  { words: 'close in meaning', strength: ({ d }) => d },
  { words: 'the same words', strength: ({ b }) => b },
  { words: 'words that resemble the question', strength: ({ m2 }) => m2 },
  { words: 'the turn before it fits', strength: ({ fp1 }) => fp1 },
  { words: 'the turn after it fits', strength: ({ fn1 }) => fn1 },
  { words: 'answers a question that fits', strength: ({ prevqF }) => prevqF },
  { words: 'said by the person asked about', strength: ({ am }) => 0.8 * am },
  { words: 'names a time', strength: ({ whenRt }) => 0.7 * whenRt },
  { words: 'holds a number', strength: ({ hmNu }) => 0.7 * hmNu },
  { words: 'names a place', strength: ({ wherePl }) => 0.7 * wherePl },
]
const worthSaying = 0.4
const mostReasons = 3

/** Why a hit is there, strongest reason first. */
export function why({ signals }) {
  const speaking = reasons
    .map(({ words, strength }) => ({ words, strength: strength(signals) }))
    .filter(({ strength }) => strength >= worthSaying)
    .sort((a, b) => b.strength - a.strength)
    .slice(0, mostReasons)
  return speaking.length > 0 ? speaking.map(({ words }) => words).join(', ') : 'a little of everything'
}
