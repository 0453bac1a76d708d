import { type Call, quoteName } from './database.ts'
import type { Session } from './session.ts'

/** Of a running server, by the moment of its start: one that was restored from another has that one's numbers, not its moment. */
export function place({ database, schema }: Session, call: Call): Promise<string> {
  return database.transaction(call, 'read', async (query) => {
    const [row] = await query(
      `SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), (SELECT oid FROM pg_database WHERE datname = current_database()),
         to_regnamespace($1)::oid) AS place`,
      [quoteName(schema)],
    )
    return `postgres ${row?.place}`
  })
}
