/** Notes of a list that may go on. */
export function listNotes(found: readonly unknown[], nothing: string, nextCursor?: string): string[] {
  return [
    ...(found.length === 0 ? [nothing] : []),
    ...(nextCursor === undefined ? [] : [`There is more: repeat with --cursor ${nextCursor}`]),
  ]
}
