import type { StoreProblem } from '../../contract/index.ts'
import { runAside } from './aside.ts'
import { checkJournal, checkRecords } from './checks.ts'
import { type Connection, cacheStatements } from './connection.ts'
import { backendFailure, isCorrupt } from './failure.ts'
import { damaged, longChecks } from './long-checks.ts'
import type { Session } from './session.ts'
import { runAtOnce, runInTurns, type Work } from './work.ts'

/** Damage that stops a check is a problem like any other; anything else is not. */
function stopped(error: unknown): StoreProblem {
  if (!isCorrupt(error) && !(error instanceof SyntaxError)) throw error
  return { code: damaged, message: 'a check met a damaged page and stopped there' }
}

/** Each check goes as far as it can. */
function* walk(db: Connection, session: Session): Work<StoreProblem[]> {
  const problems: StoreProblem[] = []
  for (const check of [checkRecords, checkJournal]) {
    try {
      yield* check(db, (found) => problems.push(found), session)
    } catch (error) {
      problems.push(stopped(error))
    }
  }
  return problems
}

/** On a connection of its own, so that what is compared is one state while commits go on. */
async function walkInTurns(session: Session, signal: AbortSignal | undefined): Promise<StoreProblem[]> {
  const { driver, path, reader, writer } = session
  if (reader === writer) return runAtOnce(walk(reader, session))
  const db = cacheStatements(driver.open(path))
  try {
    db.exec('PRAGMA busy_timeout = 1000; PRAGMA query_only = ON; BEGIN')
    return await runInTurns(walk(db, session), signal)
  } finally {
    // Not left to close: with some drivers a closed connection lives on for a while, and would hold on to the state.
    db.exec('ROLLBACK')
    db.close()
  }
}

async function runLongChecks(session: Session): Promise<StoreProblem[]> {
  const outcomes = await runAside(
    session,
    longChecks.map(({ text }) => ({ text, rows: true })),
  )
  return longChecks.flatMap(({ problem }, i) => {
    const outcome = outcomes[i]
    if (outcome === undefined || 'error' in outcome) return [stopped(outcome?.error)]
    return outcome.rows.flatMap((row) => problem(row) ?? [])
  })
}

/** Checks the file's structure, and what is kept twice against each other. */
export async function verify(session: Session, signal: AbortSignal | undefined): Promise<readonly StoreProblem[]> {
  try {
    return [...(await runLongChecks(session)), ...(await walkInTurns(session, signal))]
  } catch (error) {
    throw backendFailure('verify', error)
  }
}
