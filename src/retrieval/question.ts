import { isStopWord, words } from '../text/index.ts'
import { nameMentions } from './actor-names.ts'
import { seen } from './patterns/index.ts'

/** Someone who speaks in a scope. */
export interface ActorInfo {
  readonly name: string
  readonly role: 'user' | 'assistant' | 'other'
}

/** What a query asks, and about whom. */
export interface Question {
  /** The query as given. */
  readonly text: string
  /** Without the names of known actors, white space collapsed: what text and vector search should look for. */
  readonly stripped: string
  /** The words of `stripped` that carry content; all of its words when none does. */
  readonly words: readonly string[]
  /** The one actor whose turns are asked about, as its name is known; null when that is open. */
  readonly actorAsked: string | null
  readonly when: boolean
  readonly howMany: boolean
  readonly where: boolean
}

/** Reads a query: the words to look for, the actor asked about, the kind of answer wanted. */
export function analyse(query: string, actors: readonly ActorInfo[]): Question {
  // Names and query may be composed differently; places below are places in this form.
  const text = query.normalize('NFC')
  const mentions = nameMentions(
    text,
    actors.map((actor) => actor.name),
  )
  const lower = query.toLowerCase().trim()
  const stripped = withoutMentions(text, mentions)
  const all = words(stripped)
  const content = all.filter((word) => !isStopWord(word.toLowerCase()))
  return {
    text: query,
    stripped,
    words: content.length > 0 ? content : all,
    actorAsked: actorAskedBy(query, new Set(mentions.map((mention) => mention.name)), actors),
    when: seen('when', lower),
    howMany: seen('howMany', lower),
    where: seen('where', lower),
  }
}

function withoutMentions(text: string, mentions: ReturnType<typeof nameMentions>): string {
  let rest = ''
  let from = 0
  for (const mention of mentions) {
    // "users" may be a common noun: taking it out could take the topic out.
    if (mention.inflected || mention.start < from) continue
    rest += text.slice(from, mention.start)
    from = mention.end
  }
  const stripped = collapse(rest + text.slice(from))
  // A query that is nothing but names asks for the names.
  return words(stripped).length > 0 ? stripped : collapse(text)
}

const collapse = (text: string): string => text.replace(/\s+/gu, ' ').trim()

/**
 * One name in the query asks about that actor. Else, between a user and an assistant, words such as "did you
 * suggest" ask about the assistant, and everything else about the user.
 */
function actorAskedBy(query: string, named: ReadonlySet<string>, actors: readonly ActorInfo[]): string | null {
  const [only] = named
  if (only !== undefined && named.size === 1) return only
  if (actors.length !== 2) return null
  const user = actors.find((actor) => actor.role === 'user')
  const assistant = actors.find((actor) => actor.role === 'assistant')
  if (user === undefined || assistant === undefined) return null
  return seen('you', query) ? assistant.name : user.name
}
