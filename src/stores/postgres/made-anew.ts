import { SetupError } from '../../errors/index.ts'
import type { Row } from './driver.ts'
import type { Session } from './session.ts'

/** Columns of a statement, for `refuseOther`. Under a lock only of one that begins when the lock is held: one that waits for it sees what was before. */
export const identityColumns =
  "(SELECT value FROM {meta} WHERE name = 'identity') AS identity, (SELECT value FROM {meta} WHERE name = 'version') AS tables_version"

/**
 * Numbers of locks, of spaces and places are of the tables that were there at opening. Among those of others under the same names a write
 * would stand in another's vectors, beside the locks of everybody else; among those of a later version it would leave out what is new.
 * @throws SetupError BAD_CONFIG, CONTRACT_MISMATCH
 */
export function refuseOther(
  { identity, schema, version }: Pick<Session, 'identity' | 'schema' | 'version'>,
  row: Row | undefined,
): void {
  if (row?.identity !== identity) {
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: `postgres store: schema ${schema}: its tables were made anew since the store was opened. Nothing was written; open it anew.`,
      details: { schema },
    })
  }
  if (row.tables_version !== String(version)) {
    throw new SetupError({
      code: 'CONTRACT_MISMATCH',
      message: `postgres store: schema ${schema}: a later mneme brought its tables to version ${row.tables_version} since the store was opened. Nothing was written; update this mneme too.`,
      details: { schema, version: Number(row.tables_version), supported: version },
    })
  }
}
