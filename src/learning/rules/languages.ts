import { english } from './english/index.ts'
import type { RuleLanguage } from './rule-language.ts'

/** The languages that have rules. To add one, write a folder like `english/`, a corpus for it, and list it here. */
export const languages: readonly RuleLanguage[] = [english]
