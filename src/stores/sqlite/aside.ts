import { Worker } from 'node:worker_threads'
import { type Connection, cacheStatements, readValue } from './connection.ts'
import type { SqliteRow, SqliteValue } from './driver.ts'
import type { Session } from './session.ts'

/** A statement that can take seconds, whatever is done about it: it reads or copies the whole file. */
export interface LongStatement {
  readonly text: string
  readonly values?: readonly SqliteValue[]
  /** False for statements that give no rows, which not every driver lets one ask for. */
  readonly rows: boolean
}

/** Rows, or what the driver threw. */
export type Outcome = { readonly rows: readonly SqliteRow[] } | { readonly error: unknown }

/** From this size on a thread is worth its start, bytes. */
const worthThread = 8 * 1024 * 1024

/** Other connections' locks are waited for by SQLite itself, as little as that helps in the thread of the event loop. */
const prepareConnection = 'PRAGMA busy_timeout = 1000; PRAGMA secure_delete = ON'

interface Job {
  readonly module: string
  readonly path: string
  readonly statements: readonly LongStatement[]
}

// As text and in CommonJS, because a file of its own would have to be found from bundles and from sources alike.
const program = `
const { parentPort, workerData: { module, path, statements } } = require('node:worker_threads')
function load() {
  try { return require(module).DatabaseSync } catch { return null }
}
function run(database, { text, values = [], rows }) {
  try {
    const statement = database.prepare(text)
    if (rows) return { rows: statement.all(...values).map((row) => ({ ...row })) }
    statement.run(...values)
    return { rows: [] }
  } catch ({ message, code, errcode }) {
    return { error: { message, code, errcode } }
  }
}
const DatabaseSync = load()
if (DatabaseSync) {
  const database = new DatabaseSync(path)
  database.exec(${JSON.stringify(prepareConnection)})
  const outcomes = statements.map((statement) => run(database, statement))
  database.close()
  parentPort.postMessage(outcomes)
}
`

/** Null when the driver can't be loaded in another thread. */
function inThread(job: Job): Promise<readonly Outcome[] | null> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { eval: true, workerData: job })
    let outcomes: readonly Outcome[] | null = null
    worker.once('message', (message: readonly Outcome[]) => {
      // Errors come over as plain objects, in which nobody recognises an error.
      outcomes = message.map((one) => ('error' in one ? { error: Object.assign(new Error(), one.error) } : one))
    })
    worker.once('error', reject)
    // Only then has the thread let go of the file.
    worker.once('exit', () => resolve(outcomes))
  })
}

function runOn(db: Connection, { text, values = [], rows }: LongStatement): Outcome {
  try {
    if (rows) return { rows: db.sql(text).all(...values) }
    db.sql(text).run(...values)
    return { rows: [] }
  } catch (error) {
    return { error }
  }
}

function here({ driver, path }: Session, statements: readonly LongStatement[]): readonly Outcome[] {
  const db = cacheStatements(driver.open(path))
  try {
    db.exec(prepareConnection)
    return statements.map((statement) => runOn(db, statement))
  } finally {
    db.close()
  }
}

/**
 * Runs long statements on a connection of its own, for large files in another thread where the driver can be loaded
 * there: the event loop goes on. `:memory:` has one connection, so that it is held for the time.
 */
export async function runAside(session: Session, statements: readonly LongStatement[]): Promise<readonly Outcome[]> {
  const { driver, path, reader } = session
  if (path === ':memory:') return statements.map((statement) => runOn(reader, statement))
  const { module } = driver
  // Not the size of the file: the WAL may hold most of it yet.
  const size = Number(readValue(reader, 'PRAGMA page_count')) * Number(readValue(reader, 'PRAGMA page_size'))
  const outcomes = module !== undefined && size >= worthThread ? await inThread({ module, path, statements }) : null
  return outcomes ?? here(session, statements)
}

/** The rows of the last statement. @throws what the first failing one threw */
export async function runAsideOrThrow(
  session: Session,
  statements: readonly LongStatement[],
): Promise<readonly SqliteRow[]> {
  const outcomes = await runAside(session, statements)
  for (const outcome of outcomes) if ('error' in outcome) throw outcome.error
  const last = outcomes.at(-1)
  return last && 'rows' in last ? last.rows : []
}
