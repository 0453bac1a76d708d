import type { Config, Driver } from 'neo4j-driver'
import { SetupError } from '../../errors/index.ts'
import type { CheckedOptions } from './options.ts'

type Library = typeof import('neo4j-driver')

/** The optional package, loaded when first needed. @throws SetupError DRIVER_MISSING */
async function importLibrary(): Promise<Library> {
  try {
    const { default: library } = await import('neo4j-driver')
    return library
  } catch (cause) {
    throw new SetupError({
      code: 'DRIVER_MISSING',
      message: 'bolt store: it needs the package neo4j-driver. Install it: npm install neo4j-driver',
      details: { package: 'neo4j-driver' },
      cause,
    })
  }
}

/** Connects to nothing yet. @throws SetupError DRIVER_MISSING */
export async function createDriver(options: CheckedOptions): Promise<Driver> {
  const { url, user, password, connectTimeoutMs, maxConnections } = options
  const library = await importLibrary()
  const auth = user === undefined && password === undefined ? undefined : library.auth.basic(user ?? '', password ?? '')
  const config: Config = {
    disableLosslessIntegers: true,
    connectionTimeout: connectTimeoutMs,
    // A server that takes connections and does not greet is found out too.
    connectionAcquisitionTimeout: connectTimeoutMs * 2,
    maxConnectionPoolSize: maxConnections,
    // Attempts are made here, where it is known what may be repeated.
    maxTransactionRetryTime: 0,
    // Connections that lay idle are asked whether they still lead anywhere: the server may have been away.
    connectionLivenessCheckTimeout: 1000,
    fetchSize: -1,
    telemetryDisabled: true,
    userAgent: 'mneme',
  }
  return library.driver(url, auth, config)
}
