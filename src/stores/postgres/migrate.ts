import { randomBytes } from 'node:crypto'
import { MnemeError, SetupError } from '../../errors/index.ts'
import type { Call, Database, Query } from './database.ts'
import { quoteName } from './database.ts'
import { backendFailure, insufficientPrivilege, stateOf } from './failure.ts'
import { lockNumber } from './names.ts'
import { schemaStatements } from './schema.ts'

/** What the tables say of themselves. */
export type Meta = ReadonlyMap<string, string>

interface Wanted {
  readonly schema: string
  /** Null: as it is, or none in a new store. */
  readonly partitions: number | null
  /** The version that is read and written: as many as there are migrations. */
  readonly version: number
}

/** `pg_current_xact_id` and hash partitions with all that is used of them are there from this version on. */
const oldestServer = 140_000

/**
 * Makes tables of one version out of those of the version before. Runs as the owner of the tables, while no commit is under way; those of
 * whoever has the former version open are refused afterwards.
 */
export type Migration = (query: Query, options: { readonly partitions: number }) => Promise<void>

/** `migrations[n]` makes tables of version n + 1 out of those of version n; the first one makes new ones. Never change one that was released. */
export const migrations: readonly Migration[] = [
  async (query, options) => {
    const meta = {
      identity: randomBytes(12).toString('base64url'),
      salt: randomBytes(16).toString('hex'),
      secret: randomBytes(32).toString('base64url'),
      epoch: '0',
      partitions: String(options.partitions),
    }
    await query('CREATE TABLE {meta} (name text PRIMARY KEY, value text NOT NULL)')
    await query("INSERT INTO {meta} SELECT key, value FROM json_each_text($1) UNION ALL SELECT 'version', '0'", [
      JSON.stringify(meta),
    ])
    await query(schemaStatements(options).join(';\n'))
  },
]

function refuse(code: 'BAD_CONFIG' | 'CONTRACT_MISMATCH', schema: string, why: string): SetupError {
  return new SetupError({ code, message: `postgres store: schema ${schema}: ${why}`, details: { schema } })
}

function anotherProgram(schema: string, what = 'its table meta is'): SetupError {
  return refuse('BAD_CONFIG', schema, `${what} another program's. Nothing was written; choose another schema.`)
}

/** Where one makes tables of names that are there already, and `meta` is not among them. */
function tablesInTheWay(schema: string, error: unknown): unknown {
  return stateOf(error) === '42P07' ? anotherProgram(schema, 'tables with the names of those of mneme are') : error
}

/** Who has no right to make schemas may own one. */
async function makeSchema(query: Query, schema: string): Promise<void> {
  const [row] = await query('SELECT to_regnamespace($1) IS NULL AS missing', [quoteName(schema)])
  if (row?.missing === true) await query(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`)
}

async function checkServer(query: Query, schema: string): Promise<void> {
  const [row] = await query(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby",
  )
  if ((row?.version as number) < oldestServer)
    throw refuse('BAD_CONFIG', schema, 'the server is older than PostgreSQL 14.')
  if (row?.encoding !== 'UTF8')
    throw refuse('BAD_CONFIG', schema, 'the database is not encoded in UTF8. Make another one.')
}

async function readMeta(query: Query, { schema }: Wanted): Promise<Meta | null> {
  const [there] = await query('SELECT to_regclass($1) IS NOT NULL AS there', [`${quoteName(schema)}.meta`])
  if (there?.there !== true) return null
  const [columns] = await query(
    "SELECT count(*)::int AS known FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname IN ('name', 'value')",
    [`${quoteName(schema)}.meta`],
  )
  if (columns?.known !== 2) throw anotherProgram(schema)
  const rows = await query('SELECT name, value FROM {meta}')
  return new Map(rows.map((row) => [row.name as string, row.value as string]))
}

function versionOf(meta: Meta, { schema, partitions, version: known }: Wanted): number {
  const version = Number(meta.get('version'))
  if (meta.size === 0) {
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: `postgres store: schema ${schema}: row-level security shows this user nothing. Give wall.secret, or MNEME_WALL_SECRET.`,
      details: { schema, state: insufficientPrivilege },
    })
  }
  if (!Number.isInteger(version) || !meta.has('identity')) {
    throw anotherProgram(schema)
  }
  if (version > known) {
    throw refuse(
      'CONTRACT_MISMATCH',
      schema,
      `it has version ${version}, written by a later mneme; this one reads up to ${known}. Nothing was written; update mneme.`,
    )
  }
  if (partitions !== null && String(partitions) !== meta.get('partitions')) {
    throw refuse(
      'BAD_CONFIG',
      schema,
      `its tables have ${meta.get('partitions')} partitions, not ${partitions}. Leave partitions out, or migrate into another schema.`,
    )
  }
  return version
}

/** A store that was restored into another server starts a new epoch: places must go on upwards, but its transactions are numbered from lower on. */
async function followServer(query: Query, meta: Meta): Promise<Meta> {
  const [row] = await query(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next, (SELECT max(place) FROM {transactions}) AS last',
  )
  const epoch = epochFor(Number(meta.get('epoch')), row?.next as number, row?.last as number | null)
  if (String(epoch) === meta.get('epoch')) return meta
  await query("UPDATE {meta} SET value = $1 WHERE name = 'epoch'", [String(epoch)])
  return new Map([...meta, ['epoch', String(epoch)]])
}

/** Transactions of one server, beyond what any will count. */
export const placesOfEpoch = 2 ** 44

/** @param next the number of the server's next transaction @param last the last place of the log */
function epochFor(epoch: number, next: number, last: number | null): number {
  let fitting = epoch
  while (last !== null && last >= fitting * placesOfEpoch + next) fitting++
  return fitting
}

/** What kept the tables from the next version; what may go away by itself is told as ever. */
function stuck(schema: string, version: number, operation: string, error: unknown): unknown {
  const state = stateOf(error)
  const cause = backendFailure(operation, error)
  if (MnemeError.is(cause) && cause.retryable) return cause
  const details = { schema, version, ...(state === null ? {} : { state }) }
  if (state === insufficientPrivilege) {
    return new SetupError({
      code: 'BAD_CONFIG',
      message: `postgres store: schema ${schema}: its tables have version ${version}, and this user may not bring them to version ${version + 1}. Nothing was written; open it once with the address of their owner, and where a wall stands call raiseWall with that.`,
      details,
      cause,
    })
  }
  return new SetupError({
    code: 'MIGRATION_FAILED',
    message: `postgres store: schema ${schema}: its tables could not be brought from version ${version} to ${version + 1}${state === null ? '' : ` (${state})`}. They are as they were, and the mneme before this one works on with them. Mend what the cause or the server's log names, and open it again.`,
    details,
    cause,
  })
}

/** Everything of another version's tables belongs to their owner, whoever brings them to this one, and nothing is written to them meanwhile. */
async function takeOver(query: Query, meta: Meta): Promise<void> {
  await query("SELECT set_config('role', pg_get_userbyid(relowner), true) FROM pg_class WHERE oid = '{meta}'::regclass")
  await query('SELECT pg_advisory_xact_lock($1)', [lockNumber(meta.get('identity') as string)])
}

/** Makes the tables, or brings them to this version: all or nothing, one process at a time. */
export async function prepareTables(
  database: Database,
  call: Call,
  options: Pick<Wanted, 'schema' | 'partitions'>,
  steps: readonly Migration[] = migrations,
): Promise<Meta> {
  const wanted = { ...options, version: steps.length }
  const { schema } = wanted
  const found = await database.transaction(call, 'read', async (query) => {
    await checkServer(query, schema)
    const meta = await readMeta(query, wanted)
    if (meta === null || versionOf(meta, wanted) < wanted.version) return null
    const [row] = await query(
      'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next, (SELECT max(place) FROM {transactions}) AS last',
    )
    const epoch = Number(meta.get('epoch'))
    return epochFor(epoch, row?.next as number, row?.last as number | null) === epoch ? meta : null
  })
  if (found !== null) return found
  return database.transaction({ ...call, long: true }, 'write', async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [lockNumber('mneme schema', schema)])
    // Not before the lock: of two that ask for a new schema at once, one fails.
    const before = await readMeta(query, wanted)
    if (before === null) await makeSchema(query, schema)
    const partitions = Number(before?.get('partitions') ?? wanted.partitions ?? 0)
    const first = before === null ? 0 : versionOf(before, wanted)
    let version = first
    try {
      if (before !== null && version < wanted.version) await takeOver(query, before)
      for (; version < wanted.version; version++) {
        await steps[version]?.(query, { partitions })
        await query("UPDATE {meta} SET value = $1 WHERE name = 'version'", [String(version + 1)])
      }
    } catch (error) {
      throw first === 0 ? tablesInTheWay(schema, error) : stuck(schema, version, call.operation, error)
    }
    return followServer(query, (await readMeta(query, wanted)) as Meta)
  })
}
