import { knownOptions } from '../../contract/index.ts'
import { SetupError } from '../../errors/index.ts'
import { parsePostgresUrl, type ServerAddress } from './parse-url.ts'
import { checkSecret } from './wall/index.ts'

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database?sslmode=require`. Addresses of Neon and Supabase are understood as they
   * are given there, pooled ones too. @default the environment's MNEME_POSTGRES_URL
   */
  readonly url?: string | undefined
  /** The PostgreSQL schema that holds the tables; made when it is not there. A schema is a store. @default 'mneme' */
  readonly schema?: string | undefined
  /** Most connections at once. @default 10 */
  readonly poolSize?: number | undefined
  /** How long one statement may take, and how long a new connection is waited for, milliseconds. @default 30000 */
  readonly timeoutMs?: number | undefined
  /**
   * Into how many partitions, by user, the big tables of a new store are parted: for stores beyond some hundred million
   * records. Stands for good. @default 0, none
   */
  readonly partitions?: number | undefined
  /**
   * Row-level security as a second wall, which `raiseWall` raises: the user of the `url` sees and changes rows only in the
   * transactions of who has the secret, and reads of a scope only that scope's. @default the environment's
   * MNEME_WALL_SECRET; without, rights of the user are the only wall
   */
  readonly wall?: { readonly secret: string } | undefined
}

export interface CheckedOptions {
  readonly address: ServerAddress
  readonly schema: string
  readonly poolSize: number
  readonly timeoutMs: number
  readonly partitions: number | null
  /** Of the wall; null: none. */
  readonly secret: string | null
}

function refuse(message: string): SetupError {
  return new SetupError({ code: 'BAD_CONFIG', message: `postgres store: ${message}.` })
}

function wholeNumber(name: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw refuse(`${name}: must be a whole number from ${least} to ${most}`)
  }
  return value
}

/** Longer names are cut by the server. */
const longestName = 63

const names = { url: true, schema: true, poolSize: true, timeoutMs: true, partitions: true, wall: true } as const

/** @throws SetupError BAD_CONFIG */
export function checkOptions(given: PostgresOptions): CheckedOptions {
  const {
    url = process.env.MNEME_POSTGRES_URL,
    schema = 'mneme',
    poolSize = 10,
    timeoutMs = 30_000,
    partitions,
    wall = process.env.MNEME_WALL_SECRET ? { secret: process.env.MNEME_WALL_SECRET } : undefined,
  } = knownOptions('postgres store', given, names)
  if (typeof url !== 'string' || url === '') throw refuse('url: give one, or set MNEME_POSTGRES_URL')
  if (typeof schema !== 'string' || !/^[a-z_][\w$-]*$/i.test(schema) || schema.length > longestName) {
    throw refuse(`schema: must be a name of up to ${longestName} letters, digits, _, $ and -`)
  }
  if (schema.startsWith('pg_')) throw refuse('schema: must not begin with pg_, which PostgreSQL keeps for itself')
  return {
    address: parsePostgresUrl(url),
    schema,
    poolSize: wholeNumber('poolSize', poolSize, 1, 1000),
    timeoutMs: wholeNumber('timeoutMs', timeoutMs, 100, 86_400_000),
    partitions: partitions === undefined ? null : wholeNumber('partitions', partitions, 0, 1024),
    secret:
      wall === undefined ? null : checkSecret(knownOptions('postgres store: wall', wall, { secret: true }).secret),
  }
}
