import type { TokenTable } from '../../contract/index.ts'
import { idf, isStopWord, terms, words } from '../../text/index.ts'
import { type Skill, skillText } from './skill.ts'
import { hasContent, wordsOf } from './trigger-match.ts'

/** A skill to choose from. */
export interface SkillEntry {
  readonly id: string
  readonly skill: Pick<Skill, 'name' | 'trigger' | 'description' | 'steps' | 'version'>
  /** Of `skillText(skill)`, of length 1; null or all zeros when there is none. */
  readonly vector: Float32Array | null
  /** How often it has proved right, 0..1; of matches by trigger that are alike, the more reliable comes first. @default 1 */
  readonly reliability?: number | undefined
}

/** What is known of one entry. Pieces are places in `SkillLibrary.pieces`. */
export interface LibraryEntry extends SkillEntry {
  readonly triggerTerms: readonly string[]
  readonly nameTerms: readonly string[]
  /** Whether the trigger has a word that says something. */
  readonly saysSomething: boolean
  /** Of name, trigger, description and the first words of the steps. */
  readonly all: Int32Array
  /** Of trigger and description alone. */
  readonly told: Int32Array
}

/** Skills made ready to be matched: worth keeping as long as they do not change. */
export interface SkillLibrary {
  readonly entries: readonly LibraryEntry[]
  readonly table: TokenTable
  /** The distinct word pieces of all entries. */
  readonly pieces: Int32Array
  /** What each is worth, by place. */
  readonly worth: Float64Array
  /** What a piece is worth, that of the library or another one. */
  worthOf(piece: number): number
}

// As if so many more skills stood beside, with other words: in a library of a few, every word is in a large share of them,
// and how well a need fits must not hang on the size of the library.
const UNSEEN = 100

// A long guide has a word near any need: what it begins with says what it is about.
const STEP_WORDS = 60

/** The words of a text that say something; all of them when none does. */
export function contentOf(text: string): string {
  const all = wordsOf(text)
  const content = all.filter((word) => !isStopWord(word))
  return (content.length > 0 ? content : all).join(' ')
}

/** Stemmed words as pieces that are alike only when they are the same. */
function termTable(): TokenTable {
  const numbers = new Map<string, number>()
  const numberOf = (term: string): number => {
    const known = numbers.get(term) ?? numbers.size
    numbers.set(term, known)
    return known
  }
  return {
    id: 'terms',
    tokens: (text) => [...new Set(terms(text).map(numberOf))].sort((a, b) => a - b),
    similarities: (a, others) => Float32Array.from(others, (other) => (other === a ? 1 : 0)),
  }
}

function stepText(step: Skill['steps'][number]): string {
  return typeof step === 'string' ? step : `${step.tool} ${step.notes ?? ''}`
}

/**
 * Makes skills ready for `matchSkills`. Of equal matches the earlier entry comes first.
 * @param table how alike word pieces are; null compares stemmed words
 */
export function skillLibrary(entries: readonly SkillEntry[], table: TokenTable | null): SkillLibrary {
  const pieceTable = table ?? termTable()
  const places = new Map<number, number>()
  const frequencies: number[] = []
  const placesOf = (text: string): Int32Array =>
    Int32Array.from(pieceTable.tokens(contentOf(text)), (piece) => {
      const known = places.get(piece) ?? places.size
      places.set(piece, known)
      return known
    })
  const prepared = entries.map((entry): LibraryEntry => {
    const { name, trigger, steps } = entry.skill
    const told = skillText(entry.skill)
    const done = words(steps.map(stepText).join('\n')).slice(0, STEP_WORDS)
    const all = placesOf([name, told, ...done].join(' '))
    for (const place of all) frequencies[place] = (frequencies[place] ?? 0) + 1
    return {
      ...entry,
      triggerTerms: terms(trigger),
      nameTerms: terms(name),
      saysSomething: hasContent(trigger),
      all,
      told: placesOf(told),
    }
  })
  const total = entries.length + UNSEEN
  const worth = Float64Array.from({ length: places.size }, (_, place) => idf(frequencies[place] ?? 0, total))
  const unknown = idf(0, total)
  return {
    entries: prepared,
    table: pieceTable,
    pieces: Int32Array.from(places.keys()),
    worth,
    worthOf: (piece) => {
      const place = places.get(piece)
      return place === undefined ? unknown : worth[place]!
    },
  }
}
