import { z } from 'zod'
import { type JsonValue, madeOnce } from '../model/index.ts'
import { fold, terms, words } from '../text/index.ts'
import { factKey } from './fact-key.ts'
import { findQuote } from './find-quote.ts'
import type { Evidence, LearnedFact } from './learned-fact.ts'
import { eventTimeOf, instantOf, modelTime } from './model-time.ts'
import { timeNames } from './statements/index.ts'
import { factsOfText } from './summaries/index.ts'
import type { Turn } from './turn.ts'

const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((given) => given.trim() !== '', 'must not be empty')
const share = madeOnce(() => z.number().min(0).max(1))
const time = madeOnce(() => z.string().regex(modelTime, 'must be a date such as 2026-05-03, or null').nullish())

/** What a model answers that was asked for facts. */
export const extractionSchema = madeOnce(() =>
  z.object({
    facts: z
      .array(
        z.object({
          content: text(2000),
          kind: z.enum(['semantic', 'episodic']),
          subject: text(200),
          attribute: text(100),
          value: text(1000),
          effect: z.enum(['asserts', 'ends']),
          when: time(),
          from: time(),
          to: time(),
          importance: share().nullish(),
          confidence: share().nullish(),
          evidence: z.array(z.object({ turn: z.int(), quote: z.string().max(2000) })).max(20),
        }),
      )
      .max(1000),
  }),
)

export type ModelExtraction = z.infer<ReturnType<typeof extractionSchema>>
type ModelFact = ModelExtraction['facts'][number]

/** Turns as a model is shown them, numbered from 1: it never sees positions of messages that were left out. */
export function shownTurns(turns: readonly Turn[]): JsonValue[] {
  return turns.map(({ role, name, at, zone, text: said }, i) => ({
    turn: i + 1,
    role,
    ...(name === undefined ? {} : { name }),
    ...(at === undefined ? {} : { at }),
    ...(zone === undefined ? {} : { zone }),
    text: said.replace(/ {2,}/g, ' ').trim(),
  }))
}

/** A fact that a model found, as far as its turns bear it out. */
export interface FoundFact {
  readonly fact: LearnedFact
  /** Those that show it, of the speaker who says it first. */
  readonly turns: readonly Turn[]
  /** The words that were quoted do not hold the value, or the content says what nobody did. */
  readonly isInferred: boolean
}

const unsureConfidence = 0.8
/** Of what its quote does not say. */
const inferredConfidence = 0.6
const trustOrder = ['user', 'assistant', 'tool', 'system']

/** Whether the words hold all of the value. */
function holds(quotes: readonly Evidence[], value: string): boolean {
  const said = new Set(quotes.flatMap(({ quote }) => terms(quote)))
  const wanted = terms(value)
  return wanted.length > 0 && wanted.every((term) => said.has(term))
}

interface Shown extends Evidence {
  readonly turn: Turn
}

/** The passages that stand in their turns literally. */
function evidenceIn({ evidence }: ModelFact, turns: readonly Turn[]): Shown[] {
  const found = evidence.flatMap(({ turn: number, quote }) => {
    const turn = turns[number - 1]
    const span = turn && findQuote(turn.text, quote)
    const words = turn && span ? turn.text.slice(span.start, span.end) : ''
    // Not across what was taken out of the turn.
    return turn && words !== '' && turn.content.includes(words) ? [{ turn, message: turn.position, quote: words }] : []
  })
  return found.sort((a, b) => trustOrder.indexOf(a.turn.role) - trustOrder.indexOf(b.turn.role))
}

/**
 * The passages with those first whose speaker is to be believed: the most trusted one who, with whoever is trusted more, says the
 * value. A quote of the user beside what a tool said makes it nothing that the user said.
 */
function byWhoSaysIt(
  shown: readonly Shown[],
  value: string,
): { readonly shown: readonly Shown[]; readonly isSaid: boolean } {
  const roles = [...new Set(shown.map(({ turn }) => turn.role))]
  const saying = roles.findIndex((_, i) => {
    const heard = roles.slice(0, i + 1)
    return holds(
      shown.filter(({ turn }) => heard.includes(turn.role)),
      value,
    )
  })
  if (saying <= 0) return { shown, isSaid: saying === 0 }
  const isOf = ({ turn }: Shown) => turn.role === roles[saying]
  return { shown: [...shown.filter(isOf), ...shown.filter((one) => !isOf(one))], isSaid: true }
}

/** What a date may be written with. */
const dayNames: ReadonlySet<string> = new Set([...timeNames, 'march', 'may'])

/** Whether the content names somebody that no user and no quoted turn does, or denies what nobody denied. */
function isInvented({ content, subject, effect }: ModelFact, shown: readonly Shown[], turns: readonly Turn[]): boolean {
  const quoted = new Set(shown.map(({ turn }) => turn))
  const heard = turns.filter((turn) => turn.role === 'user' || quoted.has(turn))
  const said = heard.map(({ text }) => factsOfText(text))
  const known = new Set(
    words(`user ${subject} ${heard.map(({ name = '', text }) => `${name} ${text}`).join(' ')}`.toLowerCase()),
  )
  const { names, negated } = factsOfText(content)
  // Days and months may be worked out from `yesterday`, and what ends is denied in other words.
  if ([...names].some((name) => !known.has(name) && !dayNames.has(name))) return true
  return negated && effect === 'asserts' && !said.some((one) => one.negated)
}

/** What models call the speaker. */
const speakers = new Set(['user', 'the user', 'speaker', 'the speaker', 'i', 'me'])

/** The speaker is `user` by whatever name, unless several speak. */
function subjectOf(subject: string, names: ReadonlySet<string>): string {
  const plain = fold(subject).trim()
  return speakers.has(plain) || (names.size === 1 && names.has(plain)) ? 'user' : subject.trim()
}

function factOf(given: ModelFact, turns: readonly Turn[], names: ReadonlySet<string>): FoundFact | null {
  const { shown, isSaid } = byWhoSaysIt(evidenceIn(given, turns), given.value)
  const turn = shown[0]?.turn
  if (!turn) return null
  const zone = turn.zone ?? 'UTC'
  const evidence = shown.map(({ message, quote }) => ({ message, quote }))
  const isInferred = !isSaid || isInvented(given, shown, turns)
  const times = { when: given.when, from: given.from, to: given.to }
  const read = Object.entries(times).map(([name, value]) => [name, value ? instantOf(value, zone) : undefined] as const)
  const { from, to } = Object.fromEntries(read) as { from?: string | null; to?: string | null }
  if (read.some(([, value]) => value === null) || (from && to && to < from)) return null
  const eventTime = given.kind === 'episodic' && given.when ? eventTimeOf(given.when, zone) : null
  const confidence = given.confidence ?? unsureConfidence
  const subject = subjectOf(given.subject, names)
  const key = given.kind === 'semantic' ? factKey(subject, given.attribute) : undefined
  const fact: LearnedFact = {
    content: given.content.trim(),
    kind: given.kind,
    ...(key === undefined ? {} : { key }),
    subject,
    attribute: given.attribute.trim().toLowerCase(),
    value: given.value.trim(),
    effect: given.effect,
    ...(eventTime ? { eventTime } : {}),
    ...(from ? { validFrom: from } : {}),
    ...(to ? { validTo: to } : {}),
    ...(given.importance == null ? {} : { importance: given.importance }),
    confidence: isInferred ? Math.min(confidence, inferredConfidence) : confidence,
    evidence,
  }
  return { fact, turns: [...new Set(shown.map((one) => one.turn))], isInferred }
}

/**
 * The facts of a model's answer that their turns bear out, in the order in which they were said. One that quotes nothing that stands
 * in a turn, names a turn that there is not, or a date that there is not, is refused (LRN-16).
 */
export function readExtraction(
  { facts }: ModelExtraction,
  turns: readonly Turn[],
): { readonly found: readonly FoundFact[]; readonly refused: number } {
  const names = new Set(
    turns.flatMap(({ role, name }) => (role === 'user' && name !== undefined ? [fold(name).trim()] : [])),
  )
  const read = facts.map((given) => factOf(given, turns, names))
  const found = read.filter((one) => one !== null)
  const lastOf = ({ fact }: FoundFact) => Math.max(...fact.evidence.map(({ message }) => message))
  return { found: found.sort((a, b) => lastOf(a) - lastOf(b)), refused: facts.length - found.length }
}
