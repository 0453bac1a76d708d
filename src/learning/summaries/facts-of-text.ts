import { sentences, words } from '../../text/index.ts'
import { saysNo, sentenceStarters, statementForm, statementWords, timeNames } from '../statements/index.ts'
import { contentTerms } from './pick-sentences.ts'

/** What of a text must not get lost or be invented when it is said anew. */
export interface FactsOfText {
  /** Numbers with their sign; what follows a time of day or makes an amount of it: `pm`, `%`, `$`. */
  readonly numbers: ReadonlySet<string>
  /** Names, months and weekdays, in small letters. */
  readonly names: ReadonlySet<string>
  readonly negated: boolean
}

const amounts = new Set(['am', 'pm', '%', '$', '€', '£', '¥'])
const capital = /^\p{Lu}/u

function numbersOf(text: string): Set<string> {
  const found = new Set<string>()
  const all = statementWords(text)
  for (const [i, word] of all.entries()) {
    const hasDigit = /\d/.test(word)
    if (hasDigit) found.add(all[i - 1] === '-' ? `-${word}` : word)
    else if (amounts.has(word) && [all[i - 1], all[i + 1]].some((near) => near !== undefined && /\d/.test(near)))
      found.add(word)
  }
  return found
}

/** What a text counts: the word after each number, where it says something. */
function countedIn(text: string): string[] {
  const all = statementWords(text)
  return all.flatMap((word, i) => (/\d/.test(word) && all[i + 1] ? contentTerms(all[i + 1] as string) : []))
}

function namesOf(text: string): Set<string> {
  const found = new Set<string>()
  for (const sentence of sentences(text)) {
    for (const [i, word] of words(sentence).entries()) {
      const lower = word.toLowerCase()
      if (timeNames.has(lower)) found.add(lower)
      else if (capital.test(word) && word.length > 1 && !(i === 0 && isStarter(lower))) found.add(lower)
    }
  }
  return found
}

/** A word that a sentence may begin with, and no name for all its capital. */
function isStarter(word: string): boolean {
  return sentenceStarters.has(word) || /(?:ly|ing)$/.test(word)
}

export function factsOfText(text: string): FactsOfText {
  return { numbers: numbersOf(text), names: namesOf(text), negated: statementWords(text).some(saysNo) }
}

/** Every word of a text in small letters. */
function wordSet(text: string): Set<string> {
  return new Set(words(text).map((word) => word.toLowerCase()))
}

/** Of the words that say something, the share that has to be found again. */
const keptWords = 0.8

/**
 * Whether a text says all that must not get lost of another one: its numbers, names, dates and negations, and most of its words.
 * What is missing, in a word; null when nothing is.
 */
export function lostFrom(source: string, replacement: string): string | null {
  const facts = factsOfText(source)
  const there = factsOfText(replacement)
  const all = wordSet(replacement)
  if ([...facts.numbers].some((number) => !there.numbers.has(number))) return 'a number'
  if ([...facts.names].some((name) => !all.has(name))) return 'a name or a date'
  if (facts.negated && !there.negated) return 'a negation'
  const said = contentTerms(statementForm(source))
  const kept = new Set([...contentTerms(replacement), ...contentTerms(statementForm(replacement))])
  return said.filter((term) => kept.has(term)).length < keptWords * said.length ? 'what it says' : null
}

/** Whether a text says something that none of its sources says: a number, a name, or that something is not so. Null when not. */
export function inventedIn(text: string, sources: readonly string[]): string | null {
  const facts = factsOfText(text)
  const known = sources.map(factsOfText)
  const all = new Set(sources.flatMap((source) => [...wordSet(source)]))
  const numbers = new Set(known.flatMap((one) => [...one.numbers]))
  if ([...facts.numbers].some((number) => !numbers.has(number))) return 'a number'
  const said = new Set(sources.flatMap(contentTerms))
  if (countedIn(text).some((term) => !said.has(term) && !/\d/.test(term))) return 'a number of something'
  if ([...facts.names].some((name) => !all.has(name))) return 'a name or a date'
  if (facts.negated && !known.some(({ negated }) => negated)) return 'a negation'
  if (!facts.negated && known.length > 0 && known.every(({ negated }) => negated)) return 'the opposite'
  return null
}
