import type { TokenCounter } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { openAiCounter } from './openai-counter.ts'
import { approximateCounter, wordCounter } from './word-counter.ts'

/** Providers whose counters are known. Any other text is allowed, and gets the word counter. */
export type TokenProvider = 'openai' | 'anthropic' | 'google' | 'words' | (string & {})

// What the providers say of their own tokens: Anthropic about 3.5 characters of English, Google about 4.
const counters = new Map<string, () => TokenCounter>([
  ['openai', () => openAiCounter()],
  ['anthropic', () => anthropic],
  ['google', () => google],
])
const anthropic = approximateCounter('anthropic', 3.5)
const google = approximateCounter('google', 4)

/**
 * The counter that fits a provider best (TOK-4). `openai` is exact where the optional package `gpt-tokenizer` is installed; all else is
 * an approximation, and `exact` says so. A provider that is not known, and `openai` without the package: the word counter, whose
 * name is `words`.
 */
export function getTokenCounter(provider: TokenProvider = 'words'): TokenCounter {
  return counters.get(typeof provider === 'string' ? provider.toLowerCase() : '')?.() ?? wordCounter
}

/**
 * How many tokens a text is, by the counter of the provider; by words without one.
 * @throws InputError INVALID_ARGUMENT when the text is none
 */
export function countTokens(text: string, provider?: TokenProvider): number {
  if (typeof text !== 'string') {
    throw new InputError({ code: 'INVALID_ARGUMENT', message: 'text: must be a string.', details: { field: 'text' } })
  }
  return getTokenCounter(provider).count(text)
}
