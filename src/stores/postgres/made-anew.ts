import { SetupError } from '../../errors/index.ts'
import type { Row } from './driver.ts'
import type { Session } from './session.ts'

/** A column of a statement, for `refuseOther`. */
export const identityColumn = "(SELECT value FROM {meta} WHERE name = 'identity') AS identity"

/**
 * Numbers of locks, of spaces and places are of the tables that were there at opening. Among those of others under the same names a write
 * would stand in another's vectors, beside the locks of everybody else.
 * @throws SetupError BAD_CONFIG
 */
export function refuseOther({ identity, schema }: Pick<Session, 'identity' | 'schema'>, row: Row | undefined): void {
  if (row?.identity === identity) return
  throw new SetupError({
    code: 'BAD_CONFIG',
    message: `postgres store: schema ${schema}: its tables were made anew since the store was opened. Nothing was written; open it anew.`,
    details: { schema },
  })
}
