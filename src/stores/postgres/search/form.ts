import type { Query } from '../database.ts'
import type { VectorForm } from './index-rows.ts'

/** How the tables hold vectors: decided when they were made. */
export async function vectorFormOf(query: Query): Promise<VectorForm> {
  const [row] = await query(
    "SELECT a.atttypid = 'bytea'::regtype AS bytes FROM pg_attribute a WHERE a.attrelid = '{units}'::regclass AND a.attname = 'unit'",
  )
  return row?.bytes === true ? 'bytea' : 'vector'
}
