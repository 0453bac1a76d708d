import { randomBytes } from 'node:crypto'
import { SetupError } from '../../errors/index.ts'
import { type Connection, readValue } from './connection.ts'
import { applicationId, pinnedIndex, schema, schemaVersion } from './schema.ts'
import { snapshotSchema } from './snapshots.ts'

/** `migrations[n]` makes a file of version n + 1 out of one of version n; the first one makes a new file. Never change one that was released. */
const migrations: readonly ((connection: Connection) => void)[] = [
  (connection) => {
    connection.exec(schema)
    connection.exec(snapshotSchema)
    const insert = connection.sql('INSERT INTO meta (name, value) VALUES (?, ?)')
    insert.run('identity', randomBytes(9).toString('base64url'))
    insert.run('salt', randomBytes(16).toString('hex'))
    insert.run('derived', '0')
    insert.run('erased', '0')
    insert.run('scrub', '0')
    insert.run('useless', '0')
    connection.exec(`PRAGMA application_id = ${applicationId}`)
  },
  (connection) => connection.exec(pinnedIndex),
]

export function foreignFile(path: string, why: string): SetupError {
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `sqlite store: ${path} ${why}. Nothing was written to it; choose another path.`,
    details: { path },
  })
}

export function newerFile(path: string, version: number): SetupError {
  return new SetupError({
    code: 'CONTRACT_MISMATCH',
    message: `sqlite store: ${path} has schema version ${version}, written by a later mneme; this one reads up to ${schemaVersion}. Nothing was written to it; update mneme.`,
    details: { path, version, supported: schemaVersion },
  })
}

/** The schema version of the file: 0 for an empty one. @throws SetupError for a file that is not ours or too new */
export function checkVersion(connection: Connection, path: string): number {
  const application = readValue(connection, 'PRAGMA application_id')
  const version = readValue(connection, 'PRAGMA user_version') as number
  const tables = readValue(connection, 'SELECT count(*) FROM sqlite_schema')
  if (application === 0 && tables === 0 && version === 0) return 0
  if (application !== applicationId) throw foreignFile(path, "is another program's database")
  if (version > schemaVersion) throw newerFile(path, version)
  return version
}

/** Brings the file to this version, all or nothing. */
export function migrate(connection: Connection, path: string): void {
  if (checkVersion(connection, path) === schemaVersion) return
  connection.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have been faster.
    for (let version = checkVersion(connection, path); version < schemaVersion; version++) {
      migrations[version]?.(connection)
      connection.exec(`PRAGMA user_version = ${version + 1}`)
    }
    connection.exec('COMMIT')
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  }
}
