/**
 * Room beside the data for text that does not fit into memory: written once, then read as often as wanted. Nothing of it
 * is left when it was closed, nor when the process ended before.
 */
export interface Scratch {
  /** Well-formed text. */
  write(text: string): Promise<void>
  /** From the beginning, in pieces of any length. Call after the last write. */
  read(): AsyncIterable<string>
  close(): Promise<void>
}
