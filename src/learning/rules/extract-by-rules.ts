import { parseInstant } from '../../model/index.ts'
import { fold, sentences } from '../../text/index.ts'
import type { LearnedFact } from '../learned-fact.ts'
import type { Message } from '../message.ts'
import { languages } from './languages.ts'
import { blank, maskForeign } from './mask.ts'
import type { Clause, Reading, Rule, RuleLanguage } from './rule-language.ts'

export interface RuleOptions {
  /** What `tomorrow` is counted from in a message without a time: ISO 8601 with an offset. */
  readonly now: string
  /** IANA zone of messages that have none. @default UTC */
  readonly zone?: string | undefined
  /** ISO 639-1. Of a language without rules nothing is learnt. @default all that have rules */
  readonly language?: string | undefined
}

/** Longer ones are no speech, and nobody's patience is without end. */
const longestSentence = 2000
const longestClause = 300
/** So short, `haha just messing with you` says nothing but that what was said before is not so. */
const shortMessage = 60
const confidence = 0.9

/** A fact, and which of the user's messages it comes from, counted in what was said. */
interface Found {
  readonly fact: LearnedFact
  readonly message: number
  readonly place: number
}

/**
 * What the users' messages state with certainty, in the order in which it is said: no model, the same on every machine, in time
 * linear in the length of the text (RUL-1). Nothing from questions, conditions, jokes, quotations, games, pasted text or what an
 * assistant, a tool or a system prompt says: a rule that is not sure says nothing (RUL-2).
 *
 * What ends or is replaced later in the same messages is among the answers too, before what replaces it.
 * @throws InputError INVALID_TIME when `now`, a message's time or a zone is none
 */
export function extractByRules(messages: readonly Message[], options: RuleOptions): LearnedFact[] {
  const chosen = languages.filter(({ language }) => options.language === undefined || language === options.language)
  return chosen.flatMap((language) => new Reader(language, messages, options).read())
}

class Reader {
  readonly #language: RuleLanguage
  readonly #messages: readonly Message[]
  readonly #options: RuleOptions
  readonly #severalSpeakers: boolean
  #found: Found[] = []
  /** Folded names of people who were introduced. */
  readonly #known = new Set<string>()
  readonly #names = new Map<string, string>()
  #game = false
  #place = 0

  constructor(language: RuleLanguage, messages: readonly Message[], options: RuleOptions) {
    this.#language = language
    this.#messages = messages
    this.#options = options
    const speakers = new Set(messages.filter(({ role }) => role === 'user').map(({ name }) => fold(name ?? '')))
    this.#severalSpeakers = speakers.size > 1
  }

  read(): LearnedFact[] {
    let before = -1
    for (const [i, message] of this.#messages.entries()) {
      if (message.role !== 'user' || message.content.trim() === '') continue
      this.#readMessage(message, i, before)
      before = i
    }
    return this.#found.map(({ fact }) => fact)
  }

  #readMessage(message: Message, index: number, before: number): void {
    const { game, setAside, setAsideAfter, takenBack } = this.#language
    const masked = maskForeign(message.content, (line) => this.#language.isOwnLabel(line))
    const plain = plainApostrophes(masked)
    // Over the whole text: what is quoted in it may still say what the message is.
    const whole = plainApostrophes(message.content)
    const retracts = takenBack.before.test(whole) || (whole.length < shortMessage && takenBack.here.test(whole))
    if (retracts) this.#found = this.#found.filter(({ message: from }) => from !== before)
    if (this.#game && game.ends.test(whole)) this.#game = false
    else if (game.begins.test(whole)) this.#game = true
    if (this.#game || takenBack.here.test(whole) || setAside.some((pattern) => pattern.test(whole))) return
    const ends = setAsideAfter.map((pattern) => whole.search(pattern)).filter((at) => at >= 0)
    const stated = this.#statedBy(index, plain)
    if (stated === null) this.#readSentences(message, index, plain, Math.min(plain.length, ...ends))
    else
      this.#readSentence(
        stated,
        { ...this.#around(message, stated), opens: true },
        { message, index, quote: message.content.trim() },
      )
  }

  /** What a short answer to the question just before it says. */
  #statedBy(index: number, answer: string): string | null {
    const before = this.#messages[index - 1]
    if (before?.role !== 'assistant' || this.#severalSpeakers) return null
    return this.#language.answers(plainApostrophes(before.content), answer)
  }

  #around(message: Message, sentence: string): Omit<Clause, 'text' | 'plural' | 'opens'> {
    return {
      sentence: this.#language.expand(sentence),
      // Who begins with a capital would also write names with one.
      lowerCase:
        !/\p{Lu}/u.test(sentence.replace(/\bI\b/g, '').slice(1)) &&
        /^\P{L}*\p{Ll}|(?<![\p{L}'])i(?![\p{L}])/u.test(sentence),
      said: {
        at: parseInstant(message.at ?? this.#options.now, 'at'),
        zone: message.zone ?? this.#options.zone ?? 'UTC',
      },
    }
  }

  #readSentences(message: Message, index: number, plain: string, until: number): void {
    let from = 0
    let opens = true
    for (const sentence of sentences(plain)) {
      const at = plain.indexOf(sentence, from)
      from = at + sentence.length
      if (at >= until) return
      if (from > until || sentence.length > longestSentence) {
        opens = false
        continue
      }
      this.#place++
      const quote = message.content.slice(at, from)
      const around = this.#around(message, sentence)
      if (this.#language.isGreeting(around.sentence)) continue
      this.#readSentence(sentence, { ...around, opens }, { message, index, quote })
      opens = false
    }
  }

  #readSentence(written: string, around: Omit<Clause, 'text' | 'plural'>, from: From): void {
    const { sentence: expanded } = around
    if (this.#language.unsure.some((pattern) => pattern.test(expanded))) return
    for (const reading of this.#language.mentions(written)) this.#keep(reading, from)
    const corrected = this.#language.corrects(expanded)
    if (corrected !== null) {
      this.#correct(corrected, from)
      return
    }
    let { opens } = around
    for (const { text, plural } of this.#language.clauses(expanded)) {
      if (text.length > longestClause) continue
      this.#readClause({ ...around, text, plural, opens }, from)
      opens = false
    }
  }

  #readClause(clause: Clause, from: From): void {
    const somebody = this.#language.aboutSomebody(clause, this.#known)
    if (somebody !== null) {
      const own = { ...clause, text: somebody.text, plural: false, opens: false }
      for (const reading of this.#apply(own))
        if (reading.about === undefined) this.#keep({ ...reading, about: somebody.name }, from)
      return
    }
    for (const reading of this.#apply(clause)) this.#keep(reading, from)
  }

  #apply(clause: Clause): readonly Reading[] {
    for (const rule of this.#language.rules()) {
      const readings = read(rule, clause)
      if (readings.length > 0) return readings
    }
    return []
  }

  /** Another value for what the speaker has said in the sentence before. */
  #correct({ value, attributes, old }: NonNullable<ReturnType<RuleLanguage['corrects']>>, from: From): void {
    const last = this.#found
      .filter(({ fact, place }) => fact.key !== undefined && fact.effect === 'asserts' && place >= this.#place - 2)
      .filter(({ fact }) => old === undefined || fold(fact.value) === fold(old))
      .at(-1)
    if (last === undefined || attributes?.test(last.fact.attribute) === false) return
    const { attribute, subject } = last.fact
    this.#keep({ attribute, value, about: subject === this.#subjectOf(undefined, from) ? undefined : subject }, from)
  }

  #subjectOf(about: string | undefined, { message }: From): string {
    if (about !== undefined) return about
    return this.#severalSpeakers && message.name !== undefined ? message.name : 'user'
  }

  #keep(reading: Reading, from: From): void {
    const { attribute, value, about, ends = false, eventTime } = reading
    if (value.includes(blank) || value.trim() === '') return
    const words = this.#language.attributes[attribute.split('.')[0]!]!
    const subject = this.#subjectOf(about, from)
    const speaker = this.#names.get(fold(from.message.name ?? '')) ?? from.message.name ?? this.#language.speaker
    // A name that is just being told is not yet what the speaker is called.
    const who = about ?? (attribute === 'name' ? this.#language.speaker : speaker)
    const template = (ends ? words.ended : (reading.says ?? words.says)).replace(
      '{what}',
      attribute.slice(attribute.indexOf('.') + 1),
    )
    const content = template
      .replace('{who}', () => who)
      .replace('{whose}', () => this.#language.possessive(who))
      .replace('{value}', () => (words.verbatim ? value : this.#language.inThirdPerson(value)))
    const key = words.single ? `${keyPart(subject)}.${attribute}` : undefined
    const fact: LearnedFact = {
      content,
      kind: words.happens ? 'episodic' : 'semantic',
      key,
      subject,
      attribute,
      value,
      effect: ends ? 'ends' : 'asserts',
      eventTime,
      confidence,
      evidence: [{ message: from.index, quote: from.quote }],
    }
    const before = this.#found.findLast(({ fact: known }) => isAboutTheSame(known, fact))?.fact
    if (before?.content === content && before.effect === fact.effect) return
    this.#found.push({ fact, message: from.index, place: this.#place })
    if (about === undefined && attribute === 'name' && !ends) this.#names.set(fold(from.message.name ?? ''), value)
    if (words.person && !ends) this.#known.add(fold(value))
  }
}

const plainApostrophes = (text: string): string => text.replace(/[\u2018\u2019\u02bc]/g, "'")

interface From {
  readonly message: Message
  readonly index: number
  readonly quote: string
}

function read(rule: Rule, clause: Clause): readonly Reading[] {
  const match = rule.pattern.exec(clause.text)
  if (match === null) return []
  const readings = rule.read(match.groups ?? {}, clause)
  return readings === null ? [] : 'attribute' in readings ? [readings] : readings
}

/** `O'Brien` as a part of a key. */
function keyPart(name: string): string {
  return fold(name).replace(/[^\p{L}\p{N}]+/gu, '-')
}

function isAboutTheSame(a: LearnedFact, b: LearnedFact): boolean {
  if (a.subject !== b.subject || a.attribute !== b.attribute) return false
  return a.key !== undefined || fold(a.value) === fold(b.value)
}
