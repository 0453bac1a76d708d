/** Equals of the last one that are expected at most. */
const spare = 8

/**
 * The best with all that are equal to the last of them. The server sorts as many as it may keep with little work, and everything
 * where it has to give all equals: that is asked for only when there are more of them than usual.
 * @param run runs the statement, and gives what it found in order; `end` makes its end of the parameter that holds the limit
 */
export async function withTies<Item>(
  limit: number,
  worthOf: (item: Item) => number,
  run: (end: (limit: string) => string) => Promise<Item[]>,
): Promise<Item[]> {
  const found = await run((parameter) => `LIMIT ${parameter}::bigint + ${spare}`)
  const [last, end] = [found[limit - 1], found.at(-1)]
  const isCut = found.length === limit + spare && last && end && worthOf(last) === worthOf(end)
  return isCut ? run((parameter) => `FETCH FIRST (${parameter}::bigint) ROWS WITH TIES`) : found
}
