import { english } from './english.ts'
import type { LanguagePatterns } from './language-patterns.ts'

export type { LanguagePatterns }

/**
 * The languages that ranking knows. Nothing tells which language a text is in, so a text has a property
 * when any language sees it. To add one, write a file like `english.ts`, measure it, and list it here.
 */
export const languages: readonly LanguagePatterns[] = [english]

/** The patterns of questions, and those of texts. */
export type PatternName = Exclude<keyof LanguagePatterns, 'language'>

/** True when any language's pattern of that name is found in the text. */
export function seen(pattern: PatternName, text: string): boolean {
  return languages.some((language) => language[pattern].test(text))
}
