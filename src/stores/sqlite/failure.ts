import { BackendError, type ErrorCode, MnemeError } from '../../errors/index.ts'

/** Primary result codes of SQLite; extended codes carry them in the low byte. */
const resultCodes: Readonly<Record<number, string>> = {
  5: 'BUSY',
  6: 'LOCKED',
  7: 'NOMEM',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  19: 'CONSTRAINT',
  23: 'AUTH',
  26: 'NOTADB',
}

/** SQLite's own words, for errors that come without a number: those of `all` in @photostructure/sqlite. */
const words: readonly (readonly [words: string, name: string])[] = [
  ['database is locked', 'BUSY'],
  ['table is locked', 'LOCKED'],
  ['readonly database', 'READONLY'],
  ['disk I/O error', 'IOERR'],
  ['malformed', 'CORRUPT'],
  ['disk is full', 'FULL'],
  ['unable to open database file', 'CANTOPEN'],
  ['file is not a database', 'NOTADB'],
]

/** The primary result code by name, such as `BUSY`; null for an error that no SQLite library threw. */
export function sqliteFailure(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  if (typeof errcode === 'number') return resultCodes[errcode & 0xff] ?? 'ERROR'
  if (code === 'ERR_SQLITE_ERROR') return words.find(([text]) => error.message.includes(text))?.[1] ?? 'ERROR'
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return null
  return code.split('_')[1] ?? 'ERROR'
}

/** True when another connection holds the lock: the same call may succeed in a moment. */
export function isBusy(error: unknown): boolean {
  const failure = sqliteFailure(error)
  return failure === 'BUSY' || failure === 'LOCKED'
}

/** True when there is no room to write. */
export function isFull(error: unknown): boolean {
  return sqliteFailure(error) === 'FULL'
}

/** True when what was read is damaged. */
export function isCorrupt(error: unknown): boolean {
  const failure = sqliteFailure(error)
  return failure === 'CORRUPT' || failure === 'NOTADB'
}

const explanations: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  BUSY: ['BACKEND_TIMEOUT', 'another process held the file locked for too long. Nothing was written; try again'],
  LOCKED: ['BACKEND_TIMEOUT', 'another process held the file locked for too long. Nothing was written; try again'],
  FULL: ['BACKEND_FAILED', 'the disk is full. Nothing was written and reading still works; free some space'],
  READONLY: ['BACKEND_FAILED', 'the file can only be read. Nothing was written; check its permissions'],
  CANTOPEN: ['BACKEND_UNAVAILABLE', 'the file could not be opened. Check that it exists and its permissions'],
  IOERR: ['BACKEND_FAILED', 'reading or writing the file failed. Check the disk; the last call was not applied'],
  CORRUPT: ['BACKEND_FAILED', 'the file is damaged. Run verify to see what is lost, and export what can be read'],
  NOTADB: ['BACKEND_FAILED', 'the file is damaged. Run verify to see what is lost, and export what can be read'],
}

/** An error of a driver as one of ours; mneme's own errors and others' pass through. */
export function backendFailure(operation: string, error: unknown): unknown {
  if (MnemeError.is(error)) return error
  // What we wrote is JSON: where it does not parse, it was damaged.
  const failure = error instanceof SyntaxError ? 'CORRUPT' : sqliteFailure(error)
  if (failure === null) return error
  const [code, explanation] = explanations[failure] ?? ['BACKEND_FAILED', `SQLite failed (${failure})`]
  return new BackendError({
    code,
    message: `sqlite store: ${operation}: ${explanation}.`,
    details: { operation, failure },
    cause: error,
  })
}
