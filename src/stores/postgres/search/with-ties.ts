import type { Row } from '../driver.ts'

/** Equals of the last one that are expected at most. */
const spare = 8

/**
 * The best rows with all that are equal to the last of them. The server sorts as many as it may keep with little work, and everything
 * where it has to give all equals: that is asked for only when there are more of them than usual.
 * @param column by which the rows are ordered
 * @param run runs the statement; `end` makes its end of the parameter that holds the limit
 */
export async function withTies(
  limit: number,
  column: string,
  run: (end: (limit: string) => string) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows = await run((parameter) => `LIMIT ${parameter}::bigint + ${spare}`)
  const isCut = rows.length === limit + spare && rows[limit - 1]?.[column] === rows.at(-1)?.[column]
  return isCut ? run((parameter) => `FETCH FIRST (${parameter}::bigint) ROWS WITH TIES`) : rows
}
