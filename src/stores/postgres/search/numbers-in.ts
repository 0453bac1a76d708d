/** Of an array that the server gives as text: such a one is read ten times as fast as an array, and as as many rows. */
export const numbersIn = (text: unknown): number[] => JSON.parse(`[${(text as string).slice(1, -1)}]`) as number[]
