/** What one language contributes to ranking: how its speakers ask, and what answers look like. */
export interface LanguagePatterns {
  /** ISO 639-1. */
  readonly language: string
  /** Over a question as written: it asks what the assistant said or did. */
  readonly you: RegExp
  /** Over a lower-cased question. */
  readonly when: RegExp
  readonly howMany: RegExp
  readonly where: RegExp
  /** Over a record's text: it names a time, a proper name, a number, a place. */
  readonly time: RegExp
  readonly name: RegExp
  readonly number: RegExp
  readonly place: RegExp
}
