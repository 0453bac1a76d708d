/** Counts what a model is charged for, so that a budget can be kept. Synchronous and repeatable. */
export interface TokenCounter {
  /** For example `words` or `openai:o200k_base`. */
  readonly name: string
  /** False: an approximation, which may count less than the model will. */
  readonly exact: boolean
  /** Whole tokens, 0 for an empty text. */
  count(text: string): number
  /**
   * The longest beginning of the text that counts no more than `tokens`, without the white space before the cut:
   * `count(truncate(text, n)) <= n`. No character is cut in two.
   */
  truncate(text: string, tokens: number): string
}
