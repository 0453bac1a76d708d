import { type Source, type SourceType, sourceTypes } from '../../model/index.ts'

/**
 * A source from one text, which reads as that text again: a type such as `tool`, else a reference of the user's such as `crm`.
 */
export function sourceOfText(text: string): Source {
  if (!sourceTypes.includes(text as SourceType)) return { type: 'user', ref: text }
  const source: Source = { type: text as SourceType }
  return textOfSource(source) === text ? source : { ...source, ref: text }
}

/** A source as one text; null where nothing was said of it. */
export function textOfSource({ type, ref }: Source): string | null {
  if (ref !== undefined) return ref
  return type === 'user' || type === 'import' ? null : type
}
