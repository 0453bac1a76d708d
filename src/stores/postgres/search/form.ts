import { SetupError } from '../../../errors/index.ts'
import type { Query } from '../database.ts'
import { quoteName } from '../database.ts'
import type { VectorForm } from './index-rows.ts'

/**
 * How the tables hold vectors: decided when they were made.
 * @throws SetupError BAD_CONFIG when they need pgvector, and its schema is not on this user's search path
 */
export async function vectorFormOf(query: Query): Promise<VectorForm> {
  const [row] = await query(
    `SELECT t.oid = 'bytea'::regtype AS bytes, to_regtype('vector')::oid IS NOT DISTINCT FROM t.oid AS found, n.nspname AS lies
     FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace n ON n.oid = t.typnamespace
     WHERE a.attrelid = '{units}'::regclass AND a.attname = 'unit'`,
  )
  if (row?.bytes === true) return 'bytea'
  if (row?.found === true) return 'vector'
  const lies = String(row?.lies)
  throw new SetupError({
    code: 'BAD_CONFIG',
    message: `postgres store: pgvector lies in the schema ${lies}, where this user does not find it. As its owner: ALTER EXTENSION vector SET SCHEMA public; or put ${quoteName(lies)} on the user's search_path.`,
    details: { schema: lies },
  })
}
