import { SetupError } from '../../errors/index.ts'

export type Row = Readonly<Record<string, unknown>>

/** One statement with its parameters. Without parameters it may be several, with semicolons between. */
export interface Statement {
  readonly text: string
  readonly values?: readonly unknown[] | undefined
  /** Under which the connection keeps it, parsed and planned. */
  readonly name?: string | undefined
  /** Milliseconds after which the connection is given up. */
  readonly query_timeout?: number | undefined
}

/** The part of a `pg` client used here, so that its types need not be installed. */
export interface Client {
  query(statement: Statement): Promise<{ readonly rows: readonly Row[] }>
  /** @param error true closes the connection */
  release(error?: boolean): void
  /** Of the process of the server that serves the connection, as it was told when connecting. */
  readonly processID?: number | null
  /** Where it is there, writes can be gathered, and the connection ended whatever is under way. */
  readonly connection?: { readonly stream?: { cork?(): void; uncork?(): void; destroy?(): void } }
  on(event: 'error', listener: (error: Error) => void): unknown
}

export interface Pool {
  connect(): Promise<Client>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: Client) => void): unknown
}

/** Options of `pg` that are given here. */
export interface PoolConfig {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  readonly ssl: false | { readonly rejectUnauthorized: boolean; readonly ca?: string | undefined }
  readonly enableChannelBinding: boolean
  readonly application_name: string
  readonly options: string | undefined
  readonly max: number
  readonly connectionTimeoutMillis: number
  readonly idleTimeoutMillis: number
  readonly keepAlive: boolean
  readonly allowExitOnIdle: boolean
  readonly pipeline: boolean
  readonly types: { getTypeParser(oid: number, format?: string): (value: never) => unknown }
}

/** A connection outside the pool. */
export interface LoneClient extends Omit<Client, 'release'> {
  connect(): Promise<unknown>
}

/** The part of the `pg` package used here. */
export interface PgLibrary {
  readonly Pool: new (config: PoolConfig) => Pool
  readonly Client: new (config: PoolConfig) => LoneClient
  readonly types: PoolConfig['types']
}

function isMissing(error: Error, name: string): boolean {
  return 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`)
}

/**
 * The optional package, loaded when first needed.
 * @throws SetupError DRIVER_MISSING when it is not installed; BAD_CONFIG when it is but can't be loaded
 */
export async function importPg(name: string = 'pg'): Promise<PgLibrary> {
  try {
    const library = (await import(name)) as { readonly default?: PgLibrary } & PgLibrary
    return library.default ?? library
  } catch (cause) {
    // A missing dependency of the package has the same code, but names another module.
    if (cause instanceof Error && isMissing(cause, name)) {
      throw new SetupError({
        code: 'DRIVER_MISSING',
        message: `postgres store: it needs the package ${name}. Install it: npm install ${name}`,
        details: { package: name },
        cause,
      })
    }
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: `postgres store: the package ${name} is installed but can't be loaded; its error is the cause. Reinstall it.`,
      details: { package: name },
      cause,
    })
  }
}

const int8 = 20

/** Numbers beyond 2^53 do not occur: `int8` comes as a number and not as text. */
export function typesOf({ types }: PgLibrary): PoolConfig['types'] {
  return {
    getTypeParser: (oid, format) =>
      oid === int8 && format !== 'binary' ? (value: string) => Number(value) : types.getTypeParser(oid, format),
  }
}
