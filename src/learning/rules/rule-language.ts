import type { EventTime } from '../../model/index.ts'
import type { Moment } from './moment.ts'

/** What a rule has read out of one clause. */
export interface Reading {
  /** One of the attributes of the language's table, or `favorite.…`. */
  readonly attribute: string
  readonly value: string
  /** The name of another person whom it is about. @default the speaker */
  readonly about?: string | undefined
  /** It is true no longer. */
  readonly ends?: boolean | undefined
  readonly eventTime?: EventTime | undefined
  /** The sentence, where that of the attribute does not fit; `{who}`, `{whose}` and `{value}` are filled in. */
  readonly says?: string | undefined
}

/** Where a clause stands. */
export interface Clause {
  /** Contractions written out, fillers and adverbs taken away, the subject filled in where it was left out. */
  readonly text: string
  /** The whole sentence, contractions written out. */
  readonly sentence: string
  /** The writer uses no capitals, so that names have none either. */
  readonly lowerCase: boolean
  /** Nothing but a greeting comes before it in the message. */
  readonly opens: boolean
  /** The subject was `we`. */
  readonly plural: boolean
  /** When and where it was said. */
  readonly said: Moment
}

export type Groups = Readonly<Record<string, string | undefined>>

/** A way to say something. */
export interface Rule {
  /** Over the text of a clause, anchored at its start, so that nothing inside of a report or a condition is taken for a statement. */
  readonly pattern: RegExp
  read(groups: Groups, clause: Clause): Reading | readonly Reading[] | null
}

/** How an attribute is told in a sentence: `{who} lives in {value}`. */
export interface AttributeWords {
  readonly says: string
  readonly ended: string
  /** One value at a time: it gets a key. */
  readonly single?: boolean
  /** Something that takes place: kind episodic. */
  readonly happens?: boolean
  /** Its value is a person's name. */
  readonly person?: boolean
  /** Its value stays in the words of the speaker. */
  readonly verbatim?: boolean
}

/** What one language contributes: how its speakers state facts, and what shows that they do not. */
export interface RuleLanguage {
  /** ISO 639-1. */
  readonly language: string
  readonly attributes: Readonly<Record<string, AttributeWords>>
  /** How the speaker is called in a sentence where no name is known. */
  readonly speaker: string
  readonly possessive: (who: string) => string
  /** What somebody says of themselves, as it is said of them: `call their mother`. */
  readonly inThirdPerson: (text: string) => string
  /** Over a whole message: it is a game, a translation, somebody else's text. */
  readonly setAside: readonly RegExp[]
  /** Over a message: from the match on it is no statement of the speaker. */
  readonly setAsideAfter: readonly RegExp[]
  /** Over a message: it and all that follow are played, until `ends`. */
  readonly game: { readonly begins: RegExp; readonly ends: RegExp }
  /** Over a message: what it says, and what the speaker's message before it said, was no earnest. */
  readonly takenBack: { readonly here: RegExp; readonly before: RegExp }
  /** Over a line that begins like `Tom: …`: `Update:` is the writer's own word. */
  readonly isOwnLabel: (line: string) => boolean
  /** The sentence says nothing but hello. */
  readonly isGreeting: (sentence: string) => boolean
  /** The sentence as rules read it: contractions and short forms written out. */
  readonly expand: (sentence: string) => string
  /** Over an expanded sentence: nothing in it is certain. */
  readonly unsure: readonly RegExp[]
  /** The clauses of an expanded sentence that may be statements of the speaker. */
  readonly clauses: (sentence: string) => readonly SplitClause[]
  /** A clause about somebody named, as that person would say it; null for others. */
  readonly aboutSomebody: (clause: Clause, known: ReadonlySet<string>) => SaidOfSomebody | null
  /** What is mentioned by the way, anywhere in a sentence as written: `my sister Mia`. */
  readonly mentions: (sentence: string) => readonly Reading[]
  /** The sentence that a short answer to an assistant's question stands for; null for what is not certain. */
  readonly answers: (question: string, answer: string) => string | null
  /** Made when they are first needed: a program that never learns does not wait for them. */
  readonly rules: () => readonly Rule[]
  /** `value`, and perhaps `old`: another value for what was said just before; one that is no name only for some attributes. */
  readonly corrects: (
    text: string,
  ) => { readonly value: string; readonly attributes?: RegExp | undefined; readonly old?: string | undefined } | null
}

export interface SplitClause {
  readonly text: string
  readonly plural: boolean
}

export interface SaidOfSomebody {
  readonly name: string
  /** The clause in the first person. */
  readonly text: string
}
