import { MnemeError, SetupError } from '../../../errors/index.ts'
import type { Call, Database } from '../database.ts'
import { quoteName } from '../database.ts'
import { insufficientPrivilege } from '../failure.ts'
import { wallForm } from './statements.ts'
import { createWall, type Wall } from './token.ts'

function refuse(schema: string, why: string, cause?: unknown): SetupError {
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `postgres store: schema ${schema}: ${why}`,
    details: { schema },
    cause,
  })
}

const noWall = 'no wall stands here for this user. Call raiseWall with the address of the owner first.'

/** A wall, and how it says that it was raised. */
export interface StandingWall {
  readonly wall: Wall
  readonly form: string
}

/**
 * @param version of the tables, which may have been migrated since it was raised
 * @throws SetupError BAD_CONFIG
 */
export function checkForm({ form }: StandingWall, schema: string, version: number): void {
  if (form === wallForm(version)) return
  throw refuse(
    schema,
    'its wall was raised by another version of mneme. Call raiseWall of this version with the address of the owner.',
  )
}

/**
 * The wall in front of a schema, when it stands and holds this user too.
 * @param database asked without a token
 * @throws SetupError BAD_CONFIG
 */
export async function checkWall(database: Database, call: Call, schema: string, secret: string): Promise<StandingWall> {
  const quoted = quoteName(schema)
  const ask = async () =>
    database.transaction(call, 'read', async (query) => {
      const [row] = await query(
        `SELECT to_regprocedure($1) IS NOT NULL AS stands, to_regclass($2) IS NOT NULL AND coalesce(row_security_active(to_regclass($2)), false) AS holds,
           (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`,
        [`${quoted}.wall_enter(text)`, `${quoted}.records`],
      )
      if (row?.stands !== true) throw refuse(schema, noWall)
      if (row.holds !== true) {
        throw refuse(
          schema,
          'row-level security does not hold this user: it owns the tables, or is a superuser. Use the role for which the wall was raised.',
        )
      }
      // Not by this machine's clock, which may be put forward and back.
      const ahead = (row.now as number) - performance.now()
      const wall = createWall(secret, schema, () => performance.now() + ahead)
      const [entered] = await query('SELECT {wall_enter}($1) AS form', [wall.token()])
      return { wall, form: String(entered?.form) }
    })
  try {
    return await ask()
  } catch (error) {
    if (MnemeError.is(error) && error.details.state === insufficientPrivilege) throw refuse(schema, noWall, error.cause)
    throw error
  }
}
