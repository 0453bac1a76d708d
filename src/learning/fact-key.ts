import { fold } from '../text/index.ts'
import { languages } from './rules/languages.ts'

/** What has one value at a time, in every language that has rules: `home`, and not `likes`. */
const single: ReadonlySet<string> = new Set(
  languages.flatMap(({ attributes }) =>
    Object.entries(attributes).flatMap(([name, words]) => (words.single ? [name] : [])),
  ),
)

/**
 * The key of what has one value at a time, by whom it is about: `user.home`. Undefined for everything else: a model that calls
 * each liking by the same name must not have one replace the other.
 */
export function factKey(subject: string, attribute: string): string | undefined {
  const name = attribute.trim().toLowerCase()
  if (!single.has(name.split('.')[0] as string)) return undefined
  const about = fold(subject).replace(/[^\p{L}\p{N}]+/gu, '-')
  const key = `${about}.${name}`
  return about === '' || about === '-' || key.length > 200 ? undefined : key
}
