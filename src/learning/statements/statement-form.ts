import {
  afterIs,
  capitalWords,
  doubleWords,
  fillers,
  hasParticiples,
  isPronouns,
  leadingTime,
  manyClauses,
  months,
  negations,
  numberWords,
  phrases,
  reporting,
  words as synonyms,
} from './english.ts'

const token = /[\p{L}\p{M}\p{N}]+(?:[.,:/'_@&-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu
/** What ends, joins or frames words, and states nothing. A question mark does. */
const punctuation = new Set(Array.from('.,;:!…"\'`´()[]{}«»‹›“”„‘–—|_·•。！、，；：「」『』（）｡'))

/**
 * The words of a text in small letters, as they are compared: white space, quotes and full stops aside. Signs that carry a meaning,
 * such as those of `-5`, `C++` and a question, are words too.
 */
function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFC')
    .replace(/[’‘ʼ]/g, "'")
    .replaceAll('？', '?')
    .replace(/\p{Cf}/gu, '')
    // Emphasis; a single one is a mark: `an A*`.
    .replace(/\*+([^*\n]+)\*+/g, '$1')
  const found: string[] = []
  let begins = true
  for (const match of plain.matchAll(token)) {
    const word = match[0]
    if (punctuation.has(word)) {
      begins ||= '.!…。！'.includes(word)
      continue
    }
    const isSign = word === '-' || word === '−'
    if (isSign && !/^\d/.test(plain.slice(match.index + 1, match.index + 2))) continue
    const isOwn = capitalWords.has(word) || (doubleWords.has(word) && !begins)
    found.push(isOwn ? word : isSign ? '-' : word.toLowerCase())
    begins = word === '?'
  }
  return found
}

/** Equal for texts that differ in case, white space and punctuation alone. */
export function foldedForm(text: string): string {
  return wordsOf(text).join(' ')
}

function withoutContraction(word: string, next: string | undefined): string[] {
  if (word === "can't") return ['can', 'not']
  if (word === "won't") return ['will', 'not']
  if (word === "ain't") return [word]
  if (word.endsWith("n't")) return [word.slice(0, -3), 'not']
  const [, stem = '', ending] = /^(.+)'(m|re|ve|ll|s)$/.exec(word) ?? []
  if (ending === 's') {
    const isVerb = afterIs.has(next ?? '') || (isPronouns.has(stem) && next !== undefined && !hasParticiples.test(next))
    return isVerb ? [stem, 'is'] : [word]
  }
  const verb = { m: 'am', re: 'are', ve: 'have', ll: 'will' }[ending ?? '']
  return verb === undefined ? [word] : [stem, verb]
}

/** `3pm` as `3 pm`, `1,000` as `1000`, number words as numbers. */
function plainNumber(word: string): string[] {
  const [, digits = '', unit] = /^(\d+(?:[.,:]\d+)*)(am|pm|km|kg|m|cm|h|%)$/.exec(word) ?? []
  if (unit !== undefined) return [digits, unit]
  if (/^\d{1,3}(?:,\d{3})+$/.test(word)) return [word.replaceAll(',', '')]
  return [numberWords.get(word) ?? word]
}

/** The words of a text in small letters, contractions written out and numbers as digits. */
export function statementWords(text: string): string[] {
  const said = wordsOf(text)
  return said.flatMap((word, i) => withoutContraction(word, said[i + 1]).flatMap(plainNumber))
}

/** Whether a word says that something is not so. */
export function saysNo(word: string): boolean {
  return negations.has(word)
}

function dayOf(word: string | undefined): number | null {
  const [, day] = /^([1-9]|[12]\d|3[01])(?:st|nd|rd|th)?$/.exec(word ?? '') ?? []
  return day === undefined ? null : Number(day)
}

/** `May 8` and `8 of May` as one word. */
function withDays(words: readonly string[]): string[] {
  const found: string[] = []
  for (let i = 0; i < words.length; i++) {
    const month = months.get((words[i] as string).toLowerCase())
    const day = dayOf(words[i])
    const after = words[i + 1] === 'of' ? 2 : 1
    const monthAfter = months.get((words[i + after] ?? '').toLowerCase())
    if (month !== undefined && dayOf(words[i + 1]) !== null) {
      found.push(`day:${month}-${dayOf(words[i + 1])}`)
      i++
    } else if (day !== null && monthAfter !== undefined) {
      found.push(`day:${monthAfter}-${day}`)
      i += after
    } else found.push(words[i] as string)
  }
  return found
}

function isFiller(word: string, place: number, all: readonly string[]): boolean {
  if (word === 'that') return reporting.has(all[place - 1] ?? '')
  return fillers.has(word) && (word === 'the' || all[place - 1] !== 'not')
}

function isOneClause(text: string): boolean {
  return !manyClauses.test(text) && !text.split(' ').some((word) => reporting.has(word))
}

/**
 * The statement of a text without what can be said in several ways: articles, contractions, spellings, ways of writing numbers
 * and dates, and some synonyms. Equal for texts that state the same; whatever else differs (a number, a name, a tense, a
 * negation, who does what to whom) makes another form. Linear in the text.
 */
export function statementForm(text: string): string {
  const days = withDays(statementWords(text))
  const kept = days.filter((word, i) => !isFiller(word, i, days))
  let form =
    ` ${kept.flatMap((word) => (Object.hasOwn(synonyms, word) ? (synonyms[word] as string) : word)).join(' ')} `.replace(
      / +/g,
      ' ',
    )
  for (const [phrase, plainly] of phrases) form = form.replace(phrase, plainly)
  return form
    .replace(leadingTime, (whole, time: string, rest: string) => (isOneClause(rest) ? `${rest} ${time} ` : whole))
    .trim()
}

/** Longer texts are the same only letter by letter: they are documents, and no statements. */
const longestStatement = 10_000

/** The form in which what a memory says is compared with what others say. */
export function contentForm(content: string, form: (text: string) => string = statementForm): string {
  return content.length > longestStatement ? content : form(content)
}
