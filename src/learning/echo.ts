import { isStopWord, sentences, terms, words } from '../text/index.ts'
import { saysNo, statementForm } from './statements/index.ts'

/** How somebody says that he knows or was told, and words that name without telling: nothing of what is said. */
const hollow = new Set(
  `user said says told tells mentioned mention know knows known remember remembers recall recalls earlier before previously already noted note
  according memory memories also still currently since because result results score far right well name named names call called calls use used
  uses using get gets got as i we ve ll re d m s t`.split(/\s+/),
)

/** An assistant that says what it does itself repeats nobody; one that says what it knows does. */
const ownDoing =
  /^\W*(?:i|we)(?:['’](?:ve|ll|m|d|re))?\s+(?!(?:also\s+)?(?:know|remember|recall|see|understand|noted|note|believe|think)\b)/i

/** `…, didn't you?`, `(score 0.82)`, `2. `: said about what is said, or where it stands. */
const aside =
  /,?\s*(?:right|correct|isn['’]t it|(?:do|did|are|have|were|has)n['’]t you)\s*\?|\((?:score|similarity|relevance|id|source)\b[^()]*\)|\(\d?\.\d+\)|\[\d+\]|^\s*(?:[-*•]|\d{1,3}[.)])\s+/gi

function isHollow(word: string): boolean {
  return isStopWord(word) || hollow.has(word)
}

/** The terms that tell something, and whether it is denied. */
interface Told {
  readonly terms: ReadonlySet<string>
  readonly isDenied: boolean
}

function toldBy(text: string): Told {
  const said = statementForm(text).split(/[\s:']+/)
  return {
    terms: new Set(said.flatMap((word) => (isHollow(word) || saysNo(word) ? [] : terms(word)))),
    isDenied: said.some((word) => saysNo(word)),
  }
}

/** How near the vectors of two texts about the same thing are at least: unrelated ones give the built-in embedder .3 and less. */
const sameTopic = 0.45

/** Whether a fact and a memory are near enough to be compared by somebody who understands them: they share a telling word, or meaning. */
export function isComparable(fact: string, known: string, subject: string, cosine: number | null): boolean {
  if (cosine !== null && cosine >= sameTopic) return true
  const about = new Set(terms(subject))
  const there = toldBy(known).terms
  return [...toldBy(fact).terms].some((term) => there.has(term) && !about.has(term))
}

/** Who asked something was not told it: the answer is news. */
function withoutQuestions(text: string): string {
  if (!/[?？]/.test(text)) return text
  return sentences(text)
    .filter((sentence) => !/[?？]["'”’»)\]]*$/.test(sentence))
    .join('\n')
}

/** Names and numbers: whoever says another one says something else. */
function particulars(text: string): Set<string> {
  return new Set(
    words(text).flatMap((word) => (/^[\p{Lu}\p{N}]/u.test(word) && !isHollow(word.toLowerCase()) ? terms(word) : [])),
  )
}

/** Measured on the pairs of `echo.test.ts`: 51 of 60 echoes are found, and none of 61 sentences that say something new is taken for one. */
const enoughCovered = 0.75
/** Of what is known; or so many terms, as a sentence may repeat a part of a long text. */
const enoughOfKnown = 0.5
const enoughTerms = 3
/** For good embedders, which know other words for the same. The built-in one gives what is new .77 at most. */
const enoughAlike = 0.88
const leastCovered = 0.5

/**
 * Whether a sentence of an assistant or a tool says again what a memory says, in its words or in others: the same names and
 * numbers and no new ones, as much denied, and little that is not in it (GRD-6).
 * @param cosine of their vectors; null where there are none
 */
export function isEcho(sentence: string, known: string, cosine: number | null): boolean {
  if (ownDoing.test(sentence)) return false
  const plain = sentence.replace(aside, ' ')
  const said = toldBy(plain)
  const there = toldBy(withoutQuestions(known))
  if (said.terms.size === 0 || said.isDenied !== there.isDenied) return false
  const news = [...said.terms].filter((term) => !there.terms.has(term))
  const particular = particulars(plain)
  if (news.some((term) => particular.has(term))) return false
  const both = said.terms.size - news.length
  const covered = both / said.terms.size
  if (covered >= enoughCovered) return both >= enoughTerms || both / there.terms.size >= enoughOfKnown
  return covered >= leastCovered && cosine !== null && cosine >= enoughAlike
}
