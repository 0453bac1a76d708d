import { cleanText } from './clean-text.ts'
import { punctuation } from './unicode-14.ts'

/** Splits a text into token ids, in reading order. */
export type Tokenizer = (text: string) => readonly number[]

/** Longer words are one unknown token, as in BERT. */
const longestWord = 100
const cachedWords = 10_000
/** V8 keeps a whole text alive behind a slice of 13 characters or more, and longer words seldom come again. */
const longestCachedWord = 12

/** As many texts of that length at most are remembered, so that what is embedded and indexed is split once. */
const recentTexts = 1024
const longestRecentText = 500

/** Forgets all at once: they are split again. */
function remembering(tokenize: Tokenizer): Tokenizer {
  let recent = new Map<string, readonly number[]>()
  return (text) => {
    if (text.length > longestRecentText) return tokenize(text)
    const known = recent.get(text)
    if (known !== undefined) return known
    const ids = tokenize(text)
    if (recent.size >= recentTexts) recent = new Map()
    recent.set(text, ids)
    return ids
  }
}

/**
 * WordPiece over the vocabulary of BERT uncased, without [CLS], [SEP] or a length limit.
 * @param vocabulary Token `i` at index `i`; pieces inside a word start with `##`.
 */
export function wordPiece(vocabulary: readonly string[], unknownId: number): Tokenizer {
  const starts = new Map<string, number>()
  const continuations = new Map<string, number>()
  let longestPiece = 0
  // Plain, as it runs once and cold.
  for (let id = 0; id < vocabulary.length; id++) {
    const token = vocabulary[id]!
    const inner = token.length > 2 && token.startsWith('##')
    const length = inner ? token.length - 2 : token.length
    if (inner) continuations.set(token.slice(2), id)
    else starts.set(token, id)
    if (length > longestPiece) longestPiece = length
  }
  const unknown = [unknownId]
  let cache = new Map<string, readonly number[]>()

  /** Greedy: at each place the longest piece that fits. Counts UTF-16 units, as the vocabulary holds no surrogates. */
  function split(word: string): readonly number[] {
    if (word.length > longestWord) return unknown
    const ids: number[] = []
    let start = 0
    while (start < word.length) {
      const pieces = start === 0 ? starts : continuations
      let end = Math.min(word.length, start + longestPiece)
      let id: number | undefined
      while (end > start) {
        id = pieces.get(word.slice(start, end))
        if (id !== undefined) break
        end--
      }
      if (id === undefined) return unknown
      ids.push(id)
      start = end
    }
    return ids
  }

  function splitCached(word: string): readonly number[] {
    if (word.length > longestCachedWord) return split(word)
    const known = cache.get(word)
    if (known !== undefined) return known
    const ids = split(word)
    if (cache.size >= cachedWords) cache = new Map()
    cache.set(word, ids)
    return ids
  }

  function addWord(word: string, ids: number[]): void {
    const whole = starts.get(word)
    if (whole !== undefined) ids.push(whole)
    else for (const id of splitCached(word)) ids.push(id)
  }

  return remembering((text) => {
    const cleaned = cleanText(text)
    const ids: number[] = []
    let wordStart = 0
    for (let i = 0; i < cleaned.length; ) {
      const code = cleaned.codePointAt(i)!
      const width = code > 0xffff ? 2 : 1
      const kind = kindOf(code)
      if (kind !== inWord) {
        if (i > wordStart) addWord(cleaned.slice(wordStart, i), ids)
        if (kind === alone) addWord(cleaned.slice(i, i + width), ids)
        wordStart = i + width
      }
      i += width
    }
    if (wordStart < cleaned.length) addWord(cleaned.slice(wordStart), ids)
    return ids
  })
}

const inWord = 0
const space = 1
const alone = 2

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[\t\n\r ]/.test(character)) return space
  return /[!-/:-@[-`{-~]/.test(character) ? alone : inWord
})

function kindOf(code: number): number {
  if (code < 128) return asciiKinds[code]!
  return punctuation.has(code) ? alone : inWord
}
