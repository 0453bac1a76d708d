import { isStopWord } from '../text/index.ts'

/** A place in a text where an actor's name stands. */
export interface NameMention {
  readonly name: string
  readonly start: number
  /** Where it ends, a possessive ending included. */
  readonly end: number
  /** The name with a bare s: a genitive without apostrophe, or a common noun ("users"). */
  readonly inflected: boolean
}

const wordCharacter = /[\p{L}\p{M}\p{N}_]/u
// Written without spaces between words: a name may stand directly beside other letters.
const scripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const unspaced = new RegExp(`[${scripts.map((script) => `\\p{Script=${script}}`).join('')}]`, 'u')
const spacedRun = new RegExp(`(?:(?!${unspaced.source})[\\p{L}\\p{M}\\p{N}_])+`, 'gu')
const plainWord = /^[a-z0-9_]+$/
const plainStart = /^[a-z0-9_]+/
const ascii = /^[\x20-\x7e]*$/
const possessive = /^['’]s(?![\p{L}\p{N}_])/iu

/** Lower case, code unit for code unit, so that places in the result are places in the text. */
function foldCase(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (character) => {
    const folded = character.toLowerCase()
    return folded.length === character.length ? folded : character
  }).join('')
}

const continuesWord = (character: string): boolean => wordCharacter.test(character) && !unspaced.test(character)

function characterBefore(text: string, at: number): string {
  const low = text.charCodeAt(at - 1)
  return text.slice(low >= 0xdc00 && low <= 0xdfff ? at - 2 : at - 1, at)
}

function characterAt(text: string, at: number): string {
  return at < text.length ? String.fromCodePoint(text.codePointAt(at)!) : ''
}

/** True when no word runs across the place: at its two sides are not two letters of a spaced script. */
function isWordEdge(text: string, at: number): boolean {
  return at === 0 || !continuesWord(characterBefore(text, at)) || !continuesWord(characterAt(text, at))
}

/** The mention of a name that stands at `start`, or null when only a part of a word stands there. */
function mentionAt(text: string, name: string, start: number, length: number): NameMention | null {
  const end = start + length
  if (!isWordEdge(text, start)) return null
  if (isWordEdge(text, end)) {
    const ending = possessive.exec(text.slice(end, end + 4))?.[0].length ?? 0
    return { name, start, end: end + ending, inflected: false }
  }
  return text[end] === 's' && isWordEdge(text, end + 1) ? { name, start, end: end + 1, inflected: true } : null
}

/** The words of a folded text, each also without a final s. */
function knownWords(folded: string): ReadonlySet<string> {
  const found = folded.match(spacedRun) ?? []
  return new Set([...found, ...found.filter((word) => word.endsWith('s')).map((word) => word.slice(0, -1))])
}

/** Cheap, and never wrong when it says no: with many actors nearly all names stop here. */
function couldBeIn(words: ReadonlySet<string>, name: string): boolean {
  if (words.has(name)) return true
  if (plainWord.test(name)) return false
  const first = plainStart.exec(name)?.[0]
  if (first === undefined || unspaced.test(name)) return true
  return words.has(first) || continuesWord(characterAt(name, first.length))
}

/** The mentions of one name, in order of place. `folded` and `words` are those of `text`. */
function mentionsOf(text: string, folded: string, words: ReadonlySet<string>, name: string): NameMention[] {
  const written = (ascii.test(name) ? name : name.normalize('NFC')).trim()
  const wanted = foldCase(written)
  if (wanted === '' || wanted.length > folded.length || !couldBeIn(words, wanted)) return []
  const found: NameMention[] = []
  const asWritten = isStopWord(wanted)
  for (let start = folded.indexOf(wanted); start >= 0; start = folded.indexOf(wanted, start + wanted.length)) {
    const mention = mentionAt(folded, name, start, wanted.length)
    if (mention !== null && (!asWritten || text.startsWith(written, start))) found.push(mention)
  }
  return found
}

/**
 * Finds the names in a text (NFC) as whole words, whatever their case, with a possessive ending. Names may
 * hold any characters. Of overlapping names the longer one stands. A name that is also a stop word ("Will")
 * counts only as written. In order of place.
 */
export function nameMentions(text: string, names: readonly string[]): readonly NameMention[] {
  const folded = foldCase(text)
  const words = knownWords(folded)
  const found = names.flatMap((name) => mentionsOf(text, folded, words, name))
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  const standing: NameMention[] = []
  for (const mention of found) {
    const last = standing.at(-1)
    const same = last !== undefined && last.start === mention.start && last.end === mention.end
    if (last === undefined || mention.start >= last.end || same) standing.push(mention)
  }
  return standing
}
