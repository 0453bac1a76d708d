import type { Query } from '../database.ts'

/** How many rows a DELETE takes away. */
export async function countDeleted(query: Query, text: string, values: readonly unknown[]): Promise<number> {
  const [row] = await query(`WITH gone AS (DELETE ${text} RETURNING 1) SELECT count(*) AS count FROM gone`, values)
  return row?.count as number
}
