import { isIP } from 'node:net'
import type { OperationOptions } from '../../contract/index.ts'
import { createDatabase } from './database.ts'
import { importPg, type LoneClient, type Pool, type PoolConfig, typesOf } from './driver.ts'
import { isConnectionLost, stateOf } from './failure.ts'
import { type Migration, placesOfEpoch, prepareTables } from './migrate.ts'
import { lockNumber } from './names.ts'
import type { CheckedOptions } from './options.ts'
import type { ServerAddress } from './parse-url.ts'
import { createKnownScopes, createNearIndexes, vectorFormOf } from './search/index.ts'
import { createNumbers, type Session } from './session.ts'
import { checkForm, checkWall } from './wall/index.ts'

function tlsOf({ tls, host }: ServerAddress): PoolConfig['ssl'] {
  if (tls === 'plain') return false
  return { rejectUnauthorized: tls === 'verified', ...(isIP(host) === 0 ? { servername: host } : {}) }
}

/** Idle connections are given back after a while, so that a database that sleeps when nobody calls can do so. */
const idleMilliseconds = 30_000

interface Connecting {
  readonly pool: Pool
  readonly isReachable: () => Promise<boolean>
}

async function connecting({ address, poolSize, timeoutMs }: CheckedOptions): Promise<Connecting> {
  const library = await importPg()
  const config: PoolConfig = {
    host: address.host,
    port: address.port,
    user: address.user,
    password: address.password,
    database: address.database,
    ssl: tlsOf(address),
    enableChannelBinding: address.channelBinding,
    application_name: address.applicationName,
    options: address.options,
    max: poolSize,
    connectionTimeoutMillis: address.connectTimeoutMs ?? timeoutMs,
    idleTimeoutMillis: idleMilliseconds,
    keepAlive: true,
    allowExitOnIdle: false,
    // Statements are sent without waiting for the answers of those before. Supabase's own pooler is not known to take that.
    pipeline: !(address.provider === 'supabase' && address.pooling !== null),
    types: typesOf(library),
  }
  const pool = new library.Pool(config)
  // Of an idle connection: the pool has dropped it, and the next call makes a new one.
  pool.on('error', () => undefined)
  // Of one at work: its statement fails with it. Without a listener the process would end.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return { pool, isReachable: () => answers(new library.Client(config)) }
}

/** True when the server says anything to a new connection, were it that it has no room for one. */
async function answers(client: LoneClient): Promise<boolean> {
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch (error) {
    return !isConnectionLost(error) || stateOf(error) !== null
  } finally {
    client.connection?.stream?.destroy?.()
  }
}

export interface OpenOptions extends OperationOptions {
  readonly comparedWhole?: number | undefined
  readonly migrations?: readonly Migration[] | undefined
}

/** Connects, and makes or migrates the tables. */
export async function openSession(
  options: CheckedOptions,
  { signal, comparedWhole, migrations }: OpenOptions,
): Promise<Session> {
  const { schema, poolSize, timeoutMs, partitions, secret } = options
  const to = { ...(await connecting(options)), schema, poolSize, timeoutMs }
  const bare = createDatabase({ ...to, wall: null })
  try {
    const call = { operation: 'open', signal }
    const standing = secret === null ? null : await checkWall(bare, call, schema, secret)
    const database = standing === null ? bare : createDatabase({ ...to, wall: standing.wall })
    const meta = await prepareTables(database, call, { schema, partitions }, migrations)
    const version = Number(meta.get('version'))
    if (standing !== null) checkForm(standing, schema, version)
    const identity = meta.get('identity') as string
    const form = await database.transaction(call, 'read', vectorFormOf)
    return {
      database,
      schema,
      partitions: Number(meta.get('partitions')),
      version,
      identity,
      salt: meta.get('salt') as string,
      secret: meta.get('secret') as string,
      base: Number(meta.get('epoch')) * placesOfEpoch,
      storeLock: lockNumber(identity),
      numbers: createNumbers(database),
      form,
      near: createNearIndexes(database, comparedWhole),
      scopes: createKnownScopes(),
      spaces: new Map(),
    }
  } catch (error) {
    await bare.end()
    throw error
  }
}
