import { isAscii } from '../../text/index.ts'
import { english } from './english.ts'
import type { LanguagePatterns } from './language-patterns.ts'
import { forAscii } from './word-bounds.ts'

export type { LanguagePatterns }

/**
 * The languages that ranking knows. Nothing tells which language a text is in, so a text has a property
 * when any language sees it. To add one, write a file like `english.ts`, measure it, and list it here.
 */
export const languages: readonly LanguagePatterns[] = [english]

/** The patterns of questions, and those of texts. */
export type PatternName = Exclude<keyof LanguagePatterns, 'language'>

function asciiPatterns({ language: _, ...patterns }: LanguagePatterns): Readonly<Record<PatternName, RegExp>> {
  const entries = Object.entries(patterns).map(([name, pattern]) => [name, forAscii(pattern)])
  return Object.fromEntries(entries) as Record<PatternName, RegExp>
}

const ofAscii = languages.map(asciiPatterns)

/** True when any language's pattern of that name is found in the text. */
export function seen(pattern: PatternName, text: string): boolean {
  return (isAscii(text) ? ofAscii : languages).some((language) => language[pattern].test(text))
}
