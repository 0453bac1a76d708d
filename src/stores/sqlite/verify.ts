import type { StoreProblem } from '../../contract/index.ts'
import { checkJournal, checkLinks, checkLog, checkOwners, checkRecords, type Report } from './checks.ts'
import { type Connection, cacheStatements, readValue } from './connection.ts'
import { backendFailure, isCorrupt } from './failure.ts'
import type { Session } from './session.ts'
import { runAtOnce, runInTurns, type Work } from './work.ts'

const damaged = 'FILE_DAMAGED'

/** SQLite's words name tables, pages and row numbers, never content. */
function* checkStructure(db: Connection, report: Report): Work<void> {
  for (const row of db.sql('PRAGMA integrity_check(100)').all()) {
    const message = String(row.integrity_check)
    if (message !== 'ok') report({ code: damaged, message })
  }
  yield
  for (const row of db.sql('PRAGMA foreign_key_check').all()) {
    const message = `row ${String(row.rowid)} of ${String(row.table)} names a row of ${String(row.parent)} that is not there`
    report({ code: 'REFERENCE_BROKEN', message })
  }
}

function* checkErase(db: Connection, report: Report): Work<void> {
  yield
  if (readValue(db, "SELECT value FROM meta WHERE name = 'scrub'") !== '1') return
  const message =
    'unused parts of the file may hold erased content, as another process held it open; open it alone once'
  report({ code: 'ERASE_UNFINISHED', message })
}

const checks = {
  structure: checkStructure,
  records: checkRecords,
  log: checkLog,
  links: checkLinks,
  journal: checkJournal,
  owners: checkOwners,
  erase: checkErase,
}

/** Each check goes as far as it can; damage that stops one is a problem like any other. */
function* runChecks(db: Connection, session: Session): Work<StoreProblem[]> {
  const problems: StoreProblem[] = []
  for (const [name, check] of Object.entries(checks)) {
    try {
      yield* check(db, (found) => problems.push(found), session)
    } catch (error) {
      if (!isCorrupt(error) && !(error instanceof SyntaxError)) throw error
      problems.push({ code: damaged, message: `the check of ${name} met a damaged page and stopped there` })
    }
  }
  return problems
}

/** On a connection of its own, so that what it compares is one state while commits go on. */
export async function verify(session: Session, signal: AbortSignal | undefined): Promise<readonly StoreProblem[]> {
  const { driver, path, reader, writer } = session
  try {
    if (reader === writer) return runAtOnce(runChecks(reader, session))
    const db = cacheStatements(driver.open(path))
    try {
      db.exec('PRAGMA busy_timeout = 1000; PRAGMA query_only = ON; BEGIN')
      return await runInTurns(runChecks(db, session), signal)
    } finally {
      db.exec('ROLLBACK')
      db.close()
    }
  } catch (error) {
    throw backendFailure('verify', error)
  }
}
