/** Of an array that the server gives as text: such a one is read ten times as fast as an array, and as as many rows. */
export const numbersIn = (text: unknown): number[] => JSON.parse(`[${(text as string).slice(1, -1)}]`) as number[]

/** Two such arrays, of keys and of their values; empty where nothing was found. */
export function numbersBy(keys: unknown, values: unknown): Map<number, number> {
  if (keys === null || values === null) return new Map()
  const all = numbersIn(values)
  return new Map(numbersIn(keys).map((key, i) => [key, all[i] as number]))
}
