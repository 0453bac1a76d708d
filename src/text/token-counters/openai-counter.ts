import { createRequire } from 'node:module'
import type { TokenCounter } from '../../contract/index.ts'
import { counterOf, wordCounter } from './word-counter.ts'

/** The part of `gpt-tokenizer` used here. */
interface Encoding {
  countTokens(text: string, options: { readonly disallowedSpecial: ReadonlySet<string> }): number
}

/** Names of special tokens in a text are text. */
const nothingSpecial = { disallowedSpecial: new Set<string>() }
/** Merging takes time by the square of an unbroken run: longer ones are counted in parts, each at most a token too many. */
const longestRun = 1024

function cutRuns(text: string): string[] {
  const parts: string[] = []
  let from = 0
  for (const { 0: run, index } of text.matchAll(/[\p{L}\p{M}]+|\p{N}+|\s+|[^\p{L}\p{M}\p{N}\s]+/gu)) {
    for (let end = index + longestRun; end < index + run.length; end += longestRun) {
      const cut = (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end
      parts.push(text.slice(from, cut))
      from = cut
    }
  }
  parts.push(text.slice(from))
  return parts
}

function exactCounter(name: string, encoding: Encoding): TokenCounter {
  const count = (text: string) => encoding.countTokens(text, nothingSpecial)
  return counterOf(name, true, (text) => {
    if (text.length <= longestRun) return count(text)
    let tokens = 0
    for (const part of cutRuns(text)) tokens += count(part)
    return tokens
  })
}

let made: TokenCounter | undefined

/**
 * Counts as the present models of OpenAI do, where the optional package is installed, loaded when first asked for; else the word
 * counter, which says so by its name. `load` stands for Node's `require`.
 */
export function openAiCounter(load?: (name: string) => unknown): TokenCounter {
  if (load === undefined && made) return made
  try {
    const encoding = (load ?? createRequire(import.meta.url))('gpt-tokenizer/encoding/o200k_base') as Partial<Encoding>
    if (typeof encoding.countTokens !== 'function') return wordCounter
    const counter = exactCounter('openai:o200k_base', encoding as Encoding)
    if (load === undefined) made = counter
    return counter
  } catch {
    // Not there, or not to be loaded here: approximate, and name and `exact` say so.
    return wordCounter
  }
}
