/** Epoch milliseconds. */
export type Clock = () => number

/** Hears what the engine does: ids, names, counts and error codes, never content. */
export interface Logger {
  debug?(message: string, details?: Readonly<Record<string, unknown>>): void
  warn?(message: string, details?: Readonly<Record<string, unknown>>): void
}
