import type { TokenCounter } from '../../contract/index.ts'
import { isAscii } from '../fold.ts'
import { prefixWithin } from './prefix-within.ts'

// All costs are in twelfths of a token, so that 0.75 words a token are whole numbers.
const token = 12
/** 0.75 words a token: the rule of thumb that OpenAI gives for English. */
const word = 16
/** Letters of a word that cost nothing beyond it, and each letter after them: long words are several tokens. */
const freeLetters = 12
const furtherLetter = 5
/** A line break is mostly a token, and half of one is in the words before it. */
const lineBreak = 6
/** Of white space: tabs and spaces are taken together, up to so many. */
const widestSpace = 64

const plainWord = /^["'“‘(]{0,2}([A-Za-z]+(?:['’][A-Za-z]+)?\d{0,4}|\d{1,4})["'”’)\].,;:!?…]{0,3}$/
const pieces = /[A-Z]?[a-z]+|[A-Z]+|\d+|([^A-Za-z\d])\1*/g

/** A string of ASCII without white space that is more than a word: code, addresses, base64, names with numbers. */
function mixedCost(text: string): number {
  let cost = 0
  for (const [piece] of text.matchAll(pieces)) {
    const first = piece.charCodeAt(0)
    if (first >= 0x30 && first <= 0x39) cost += Math.max(token, 4 * piece.length)
    else if (piece.length > 1 && piece.charCodeAt(1) >= 0x41 && piece.charCodeAt(1) <= 0x5a)
      cost += token + 4 * (piece.length - 1)
    else if ((first | 0x20) >= 0x61 && (first | 0x20) <= 0x7a)
      cost += token + furtherLetter * Math.max(0, piece.length - freeLetters)
    else cost += token + piece.length - 1
  }
  return Math.max(word, cost)
}

/** What a character beyond ASCII costs by itself: measured with cl100k_base and o200k_base, in between and nearer to the greater. */
function characterCost(codePoint: number): number {
  if (codePoint < 0x250) return 9
  if (codePoint < 0x370) return 12
  if (codePoint < 0x400) return 8 // Greek
  if (codePoint < 0x530) return 5 // Cyrillic
  if (codePoint < 0x900) return 8 // Hebrew, Arabic
  if (codePoint < 0xe80) return 12 // India, Thai
  if (codePoint < 0x1e00) return 24 // Ethiopic, Khmer, Myanmar, Georgian: few tokens know them
  if (codePoint < 0x2000) return 12
  if (codePoint < 0x3000) return 14 // punctuation, signs
  if (codePoint < 0xa000) return 14 // kana, Han
  if (codePoint >= 0xac00 && codePoint < 0xd7b0) return 14 // Hangul
  if (codePoint >= 0xfe00 && codePoint < 0xffe0) return 14
  return codePoint < 0x10000 ? 24 : 28
}

/** Words of ASCII and characters beyond it, in a string without white space. */
function manyScriptsCost(text: string): number {
  let cost = 0
  for (const [run] of text.matchAll(/[\0-\x7f]+|[^\0-\x7f]+/g)) {
    if (run.charCodeAt(0) < 0x80) cost += plainWord.test(run) ? Math.min(token, 2 + 3 * run.length) : mixedCost(run)
    else for (const character of run) cost += characterCost(character.codePointAt(0) as number)
  }
  return Math.max(word, cost)
}

function spaceCost(space: string): number {
  let breaks = 0
  for (let i = 0; i < space.length; i++) if (space[i] === '\n') breaks++
  return Math.min(breaks, 2) * lineBreak + token * Math.floor(space.length / widestSpace)
}

function wordTokens(text: string): number {
  let cost = 0
  for (const [piece, space] of text.matchAll(/(\s+)|\S+/g)) {
    if (space !== undefined) {
      if (space !== ' ') cost += spaceCost(space)
      continue
    }
    const plain = plainWord.exec(piece)
    if (plain) cost += word + furtherLetter * Math.max(0, (plain[1] as string).length - freeLetters)
    else cost += isAscii(piece) ? mixedCost(piece) : manyScriptsCost(piece)
  }
  return Math.ceil(cost / token)
}

/** A counter of a measure of ours. */
export function counterOf(name: string, exact: boolean, count: (text: string) => number): TokenCounter {
  return { name, exact, count, truncate: (text, tokens) => prefixWithin(text, tokens, count) }
}

/**
 * About what a model counts, without its vocabulary: 0.75 words a token, rounded up. What is no word counts for more: long strings
 * by their parts, scripts without spaces by their characters, line breaks for half a token (TOK-2).
 */
export const wordCounter: TokenCounter = counterOf('words', false, wordTokens)

/** The greater of the word counter and a number of characters a token that a provider states. */
export function approximateCounter(provider: string, charactersPerToken: number): TokenCounter {
  return counterOf(`${provider}:approximate`, false, (text) =>
    Math.max(wordTokens(text), Math.ceil(text.length / charactersPerToken)),
  )
}
