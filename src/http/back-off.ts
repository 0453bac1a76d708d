/** No pause that nobody asked for is longer. */
export const longestPauseMs = 8_000

/** The pause after an attempt, from 1. Half fixed, half random, so that callers turned away together don't come back together. */
export function backOff(firstMs: number, attempt: number): number {
  const longest = Math.min(longestPauseMs, firstMs * 2 ** (attempt - 1))
  return longest / 2 + Math.random() * (longest / 2)
}
