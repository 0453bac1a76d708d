import { type Source, type SourceType, sourceTypes } from '../../model/index.ts'

/** A source from one text, which stays readable as it was: a type of source such as `tool`, else a reference of the user's. */
export function sourceOfText(text: string): Source {
  return { type: sourceTypes.includes(text as SourceType) ? (text as SourceType) : 'user', ref: text }
}

/** A source as one text; null where nothing was said of it. */
export function textOfSource({ type, ref }: Source): string | null {
  if (ref !== undefined) return ref
  return type === 'user' || type === 'import' ? null : type
}
