import { stemmer } from 'stemmer'
import { characterClass, classOf } from './character-class.ts'
import { fold, isAscii } from './fold.ts'

/** The most characters of a word that a term keeps (SPEC TXT-8). */
export const maxTermLength = 64

/**
 * The index terms of a text, in order, with repeats. The same text gives the same terms on every platform and Node version.
 *
 * English text gives what SQLite's FTS5 gives with `porter unicode61`: runs of letters and digits, lower case, without
 * accents, stemmed (SPEC TXT-1). Scripts without spaces give every character and every pair of neighbours (SPEC TXT-5).
 * Takes any string, in linear time; never throws.
 */
export function terms(text: string): string[] {
  const found: string[] = []
  for (const run of runs(fold(text))) {
    if (!isDense(run)) {
      found.push(wordTerm(run))
      continue
    }
    let previous = ''
    for (const character of run) {
      if (previous !== '') found.push(previous + character)
      found.push(character)
      previous = character
    }
  }
  return found
}

/** How often each term of a text occurs, sorted by term in UTF-16 order. A document's length is the sum of the counts. */
export function termCounts(text: string): [term: string, frequency: number][] {
  const counts: [term: string, frequency: number][] = []
  let last: [term: string, frequency: number] | undefined
  for (const term of terms(text).sort()) {
    if (last?.[0] === term) last[1]++
    else {
      last = [term, 1]
      counts.push(last)
    }
  }
  return counts
}

/**
 * The distinct terms to look up for a query, in order. Words as in `terms`; of a run of a script without spaces only the
 * pairs, or the character itself when it stands alone, so that 腾讯云 asks for 腾讯 and 讯云 and not for each 云 (SPEC TXT-6).
 */
export function queryTerms(text: string): string[] {
  const wanted = new Set<string>()
  for (const run of runs(fold(text))) {
    if (!isDense(run)) {
      wanted.add(wordTerm(run))
      continue
    }
    const characters = Array.from(run)
    if (characters.length === 1) wanted.add(run)
    for (let i = 1; i < characters.length; i++) wanted.add(characters[i - 1]! + characters[i]!)
  }
  return [...wanted]
}

/** The words, dense runs and symbols of a folded text. */
function runs(folded: string): string[] {
  if (isAscii(folded)) return folded.match(/[a-z0-9]+/g) ?? []
  const found: string[] = []
  let start = -1
  let dense = false
  const end = (at: number): void => {
    if (start >= 0) found.push(folded.slice(start, at))
    start = -1
  }
  for (let i = 0; i < folded.length; ) {
    const codePoint = folded.codePointAt(i)!
    const kind = classOf(codePoint)
    const next = i + (codePoint > 0xffff ? 2 : 1)
    if (kind >= characterClass.dense || kind === characterClass.letter) {
      const isPart = kind >= characterClass.dense
      if (isPart !== dense) end(i)
      dense = isPart
      if (start < 0) start = i
    } else if (kind !== characterClass.mark || dense) {
      end(i)
      if (kind === characterClass.symbol) found.push(folded.slice(i, next))
    }
    i = next
  }
  end(folded.length)
  return found
}

function isDense(run: string): boolean {
  const first = run.codePointAt(0)!
  return first > 0x7f && classOf(first) >= characterClass.dense
}

const maxMemo = 16_384
const memo = new Map<string, string>()

function wordTerm(word: string): string {
  const known = memo.get(word)
  if (known !== undefined) return known
  // A slice keeps the whole text it was cut from alive, up to a mebibyte for one word: the memo and the index get copies.
  const own = Array.from(bounded(word)).join('')
  const term = isAscii(own) && word.length <= maxTermLength ? stemmer(own) : own
  if (word.length <= maxTermLength) {
    if (memo.size >= maxMemo) memo.clear()
    memo.set(own, term)
  }
  return term
}

function bounded(word: string): string {
  if (word.length <= maxTermLength) return word
  const last = word.charCodeAt(maxTermLength - 1)
  const splitsPair = last >= 0xd800 && last < 0xdc00
  return word.slice(0, splitsPair ? maxTermLength - 1 : maxTermLength)
}
