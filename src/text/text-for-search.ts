import { dateWords, type When } from './date-words.ts'

/** What a record says, who said it, and when it happened. */
export interface SearchableText {
  readonly content: string
  readonly actor?: string | undefined
  readonly when?: When | undefined
}

/**
 * The text whose terms are indexed: `[date] actor: content`, each part only when it is known.
 * @throws InputError INVALID_TIME as `dateWords`
 */
export function lexicalText(text: SearchableText): string {
  const spoken = denseText(text)
  return text.when === undefined ? spoken : `[${dateWords(text.when)}] ${spoken}`
}

/** The text that is embedded: `actor: content`. Without the date, which made recall worse in vectors. */
export function denseText(text: Pick<SearchableText, 'content' | 'actor'>): string {
  return text.actor === undefined || text.actor === '' ? text.content : `${text.actor}: ${text.content}`
}
