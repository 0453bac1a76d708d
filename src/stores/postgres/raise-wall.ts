import { knownOptions, type OperationOptions } from '../../contract/index.ts'
import { MnemeError, SetupError } from '../../errors/index.ts'
import { type Query, quoteName } from './database.ts'
import { insufficientPrivilege } from './failure.ts'
import type { Migration } from './migrate.ts'
import { lockNumber } from './names.ts'
import { type OpenOptions, openSession } from './open.ts'
import { type CheckedOptions, checkOptions } from './options.ts'
import type { Session } from './session.ts'
import { checkSecret, grantStatements, padsOf, wallForm, wallKey, wallStatements } from './wall/index.ts'

export interface RaiseWallOptions {
  /** Of the user who owns the tables, or may make them. @default the environment's MNEME_POSTGRES_URL */
  readonly url?: string | undefined
  /** @default 'mneme' */
  readonly schema?: string | undefined
  /** Partitions of the tables, when they are made now, see `postgres`. */
  readonly partitions?: number | undefined
  /** The role as which applications connect. It has to be there, and own nothing of the store. */
  readonly role: string
  /** At least 32 random characters. What comes from it is kept in the database where only the owner reads it; it is not. */
  readonly secret: string
}

const names = { url: true, schema: true, partitions: true, role: true, secret: true } as const

function refuse(role: string, why: string): SetupError {
  return new SetupError({ code: 'BAD_CONFIG', message: `postgres store: role ${role}: ${why}`, details: { role } })
}

async function checkRole(query: Query, role: string): Promise<void> {
  const [row] = await query(
    `SELECT r.rolsuper OR r.rolbypassrls AS passes,
       pg_has_role(r.oid, (SELECT relowner FROM pg_class WHERE oid = '{records}'::regclass), 'MEMBER') AS owns
     FROM pg_roles r WHERE r.rolname = $1`,
    [role],
  )
  if (row === undefined) throw refuse(role, "is not there. Make it: CREATE ROLE … LOGIN PASSWORD '…'")
  if (row.passes === true || row.owns === true) {
    throw refuse(
      role,
      'row-level security does not hold it: it is a superuser, has BYPASSRLS, or is or may become the owner of the tables. Use another role.',
    )
  }
}

async function raise(query: Query, { schema, version }: Session, role: string, secret: string): Promise<void> {
  await checkRole(query, role)
  await query(wallStatements.join(';\n'))
  const { inner, outer } = padsOf(wallKey(secret, schema))
  await query(
    `INSERT INTO {wall} (inner_pad, outer_pad, form) VALUES ($1, $2, $3)
     ON CONFLICT (one) DO UPDATE SET inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad, form = excluded.form`,
    [inner, outer, wallForm(version)],
  )
  const tables = await query(
    "SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relrowsecurity",
    [schema],
  )
  for (const { name } of tables) await query(`ALTER TABLE {${name as string}} ENABLE ROW LEVEL SECURITY`)
  await query(grantStatements(quoteName(schema), quoteName(role)).join(';\n'))
}

/** The role may not make indexes: those that searches want by now are made for it. */
async function makeNearIndexes({ database, near, form }: Session, signal: AbortSignal | undefined): Promise<void> {
  if (form !== 'vector') return
  const call = { operation: 'raiseWall', signal, long: true }
  await database.transaction(call, 'read', async (query) => {
    const spaces = await query(
      'SELECT p.id, p.dimensions FROM {spaces} p JOIN (SELECT space FROM {units} GROUP BY space HAVING count(*) > $1) u ON u.space = p.id',
      [near.comparedWhole],
    )
    for (const { id, dimensions } of spaces) await near.isReady(query, id as number, dimensions as number)
  })
  await near.settled()
}

/**
 * Makes or migrates the tables of a store, and lets a role work on them only behind row-level security: it sees and changes
 * no row but in transactions that have a token signed with the secret, which `postgres({ wall: { secret } })` makes. Call it
 * again after an update of mneme, with another secret, for another role, and when some ten thousand vectors have come in: it
 * makes the indexes that searches want then. One secret at a time.
 * @throws SetupError BAD_CONFIG for a role that is not there, or that row-level security does not hold, and for a `url` of whoever does not own
 * the tables, such as that of the role
 */
export function raiseWall(options: RaiseWallOptions, call: OperationOptions = {}): Promise<void> {
  return raiseWallWith(options, call)
}

/** What `raiseWall` does. @param migrations in place of the real ones, for tests */
export async function raiseWallWith(
  options: RaiseWallOptions,
  { signal }: OperationOptions = {},
  migrations?: readonly Migration[],
): Promise<void> {
  const { role, secret, ...store } = knownOptions('raiseWall', options, names)
  if (typeof role !== 'string' || role === '') throw refuse('', 'give the name of one.')
  const checkedSecret = checkSecret(secret)
  const checked = { ...checkOptions(store), secret: null }
  try {
    await raiseAsOwner(checked, role, checkedSecret, { signal, migrations })
  } catch (error) {
    throw MnemeError.is(error) && error.details.state === insufficientPrivilege
      ? notOwner(checked.schema, error)
      : error
  }
}

async function raiseAsOwner(
  checked: CheckedOptions,
  role: string,
  secret: string,
  { signal, migrations }: OpenOptions,
): Promise<void> {
  const session = await openSession(checked, { signal, migrations })
  const { database, schema, near } = session
  try {
    await database.transaction({ operation: 'raiseWall', signal, long: true }, 'write', async (query) => {
      await query('SELECT pg_advisory_xact_lock($1)', [lockNumber('mneme schema', schema)])
      await raise(query, session, role, secret)
    })
    await makeNearIndexes(session, signal)
  } finally {
    near.stop()
    await database.end()
  }
}

function notOwner(schema: string, { cause, details }: MnemeError): SetupError {
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `postgres store: raiseWall: the user of the url does not own the tables of schema ${schema}, nor may make them. Give the url of the owner; applications then connect as the role, with wall.secret.`,
    details,
    cause,
  })
}
