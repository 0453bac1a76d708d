import type { LearnedFact } from '../../learning/index.ts'
import { fold, monthNames, terms } from '../../text/index.ts'
import { attributesOf } from './rule-attributes.ts'
import type { FactLabel, LabelledTurn } from './rule-set.ts'

/** How what was found in one labelled turn compares with its labels. */
export interface TurnResult {
  readonly id: string
  readonly line: number
  readonly right: readonly LearnedFact[]
  readonly wrong: readonly LearnedFact[]
  /** About others than the user, in a file that has no labels about others. */
  readonly unjudged: readonly LearnedFact[]
  /** Ends that no label mentions, of what is not known to be true here: they change nothing, and count neither way. */
  readonly unlabelledEnds: readonly LearnedFact[]
  /** Of the wrong ones those that end something; those that would take the place of another value. */
  readonly wrongEnds: readonly LearnedFact[]
  readonly wrongReplacements: readonly LearnedFact[]
  readonly missed: readonly FactLabel[]
}

/** Facts as they stand when all is said, and those that were said and are over or replaced. */
function outcomeOf(facts: readonly LearnedFact[]) {
  let standing: LearnedFact[] = []
  const over: LearnedFact[] = []
  const ends: LearnedFact[] = []
  const undoing: LearnedFact[] = []
  for (const fact of facts) {
    const gone = standing.filter((known) =>
      fact.effect === 'ends' ? isSame(known, fact) : fact.key !== undefined && known.key === fact.key,
    )
    standing = standing.filter((known) => !gone.includes(known))
    over.push(...gone)
    if (fact.effect === 'asserts') standing.push(fact)
    else (gone.length === 0 ? ends : undoing).push(fact)
  }
  return { standing, over, ends, undoing }
}

const isSame = (a: LearnedFact, b: LearnedFact): boolean =>
  a.subject === b.subject && a.attribute === b.attribute && fold(a.value) === fold(b.value)

/** A label and a fact match when they are about the same, of the same attribute by name or synonym, and of the same value. */
export function matchFacts(
  { id, line, facts: labels }: LabelledTurn,
  found: readonly LearnedFact[],
  judgesOthers = true,
): TurnResult {
  const { standing, over, ends, undoing } = outcomeOf(found)
  const open = new Set([...standing, ...ends, ...undoing])
  const right: LearnedFact[] = []
  const missed: FactLabel[] = []
  // Those that count take what fits them first.
  for (const label of [...labels].sort((a, b) => Number(a.optional) - Number(b.optional))) {
    const candidates = label.ended
      ? [...ends.filter((fact) => open.has(fact)), ...over]
      : standing.filter((fact) => open.has(fact))
    const match = candidates.find((fact) => matches(label, fact, found))
    if (match !== undefined) open.delete(match)
    if (label.optional) continue
    if (match === undefined) missed.push(label)
    else right.push(match)
  }
  const notExcused = [...open].filter((fact) => !isExcused(fact, labels, standing, found))
  const unlabelledEnds = notExcused.filter((fact) => fact.effect === 'ends' && !endsWhatIsTrue(fact, labels, found))
  const unlabelled = notExcused.filter((fact) => !unlabelledEnds.includes(fact))
  const wrong = unlabelled.filter(({ subject }) => judgesOthers || subject === 'user')
  return {
    id,
    line,
    right,
    wrong,
    unjudged: unlabelled.filter((fact) => !wrong.includes(fact)),
    unlabelledEnds,
    wrongEnds: wrong.filter(({ effect }) => effect === 'ends'),
    wrongReplacements: wrong.filter(({ effect, key }) => effect === 'asserts' && key !== undefined),
    missed,
  }
}

/**
 * In a memory where nothing of the kind is known `I used to live in Berlin` ends nothing. It does where a label says that it goes on,
 * also of what was found in the same line before.
 */
function endsWhatIsTrue(fact: LearnedFact, labels: readonly FactLabel[], found: readonly LearnedFact[]): boolean {
  return labels.some((label) => !label.ended && matches(label, fact, found))
}

/** The second half of what one label says, or the end of a value for which the labels have another one. */
function isExcused(
  fact: LearnedFact,
  labels: readonly FactLabel[],
  standing: readonly LearnedFact[],
  found: readonly LearnedFact[],
): boolean {
  const ended = fact.effect === 'ends'
  if (labels.some((label) => label.ended === ended && matches(label, fact, found))) return true
  // `my sister Mia` where the label is about Mia.
  if (!ended && labels.some(({ about }) => fold(about).split(' ').includes(fold(fact.value)))) return true
  if (!ended) return false
  const replaced = standing.some(({ subject, attribute }) => subject === fact.subject && attribute === fact.attribute)
  return replaced && labels.some((label) => !label.ended && isOfAttribute(label, fact) && isAbout(label, fact, found))
}

function matches(label: FactLabel, fact: LearnedFact, found: readonly LearnedFact[]): boolean {
  return isOfAttribute(label, fact) && isAbout(label, fact, found) && isOfValue(label, fact)
}

function isOfAttribute({ attribute }: FactLabel, fact: LearnedFact): boolean {
  const own = fact.attribute.split('.')[0]!
  const names = attribute === undefined ? null : attributesOf(attribute)
  // A name of one's own says nothing that could be compared.
  return names === null || own === attribute || names.includes(own)
}

function isAbout({ about }: FactLabel, { subject }: LearnedFact, found: readonly LearnedFact[]): boolean {
  const [wanted, own] = [fold(about).replace(/^(?:my|the) /, ''), fold(subject)]
  if (own === 'user' || wanted === 'user') return own === wanted
  if (wanted === own || wanted.split(' ').includes(own) || own.split(' ').includes(wanted)) return true
  // `sister` for the sister whose name was said.
  return found.some(({ attribute, value }) => fold(value) === own && attributesOf(wanted)?.includes(attribute) === true)
}

/** Told in words of one's own, so that half of them have to do. */
const free = new Set(['plan', 'instruction', 'goal', 'habit', 'health', 'education', 'address'])

function isOfValue({ value, alternatives }: FactLabel, fact: LearnedFact): boolean {
  const own = valueTerms(fact.value)
  return [value, ...alternatives].some((label) => {
    const wanted = valueTerms(
      fact.attribute === 'prefers' ? label.replace(/ (?:to|over|rather than|than) .*$/, '') : label,
    )
    const [few, many] = own.size <= wanted.size ? [own, wanted] : [wanted, own]
    const shared = [...few].filter((term) => many.has(term)).length
    if (free.has(fact.attribute)) return shared > 0 && shared >= few.size / 2
    // What is longer than the label has not been cut where the sense ends.
    if (few.size > 0 && shared === few.size && (few === own ? 3 : 2) * few.size >= many.size) return true
    return fact.attribute === 'pet' && isWithin(wanted, valueTerms(fact.content))
  })
}

const isWithin = (few: ReadonlySet<string>, many: ReadonlySet<string>): boolean =>
  few.size > 0 && [...few].every((term) => many.has(term))

const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const small = new Set(terms('a an the s my his her their our your to of on at in and'))

/** The folded, stemmed words that count: without articles and the like, numbers as figures, dates as day, month and year. */
function valueTerms(value: string): ReadonlySet<string> {
  const plain = fold(value)
    .replace(
      /\b(\d{4})-(\d\d)-(\d\d)\b/g,
      (_, year, month, day) => `${Number(day)} ${monthNames[Number(month) - 1]?.toLowerCase() ?? ''} ${year}`,
    )
    .replace(/\b(\d+)(?:st|nd|rd|th)\b/g, '$1')
    .replace(/\p{L}+/gu, (word) => (numbers.includes(word) ? `${numbers.indexOf(word)}` : word))
  const all = terms(plain)
  const kept = all.filter((term) => !small.has(term))
  return new Set(kept.length === 0 ? all : kept)
}
