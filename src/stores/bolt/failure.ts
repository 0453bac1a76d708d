import { BackendError, type ErrorCode, MnemeError } from '../../errors/index.ts'

/** The code of an error of the driver or the server; null for any other. */
export function boltCode(error: unknown): string | null {
  if (!(error instanceof Error) || MnemeError.is(error)) return null
  const { code, name } = error as Error & { code?: unknown }
  return typeof code === 'string' && (name === 'Neo4jError' || /^(?:Neo|Memgraph)\./.test(code)) ? code : null
}

/** `ProtocolError`: what came was cut short, or never was Bolt. */
const lost: ReadonlySet<string> = new Set([
  'ServiceUnavailable',
  'SessionExpired',
  'ProtocolError',
  'Neo.TransientError.General.DatabaseUnavailable',
])

/** The driver has no code for these: a pool that was closed while somebody waited, or that nobody answered for. */
const lostWords = /pool is closed|acquisition timed out|driver is closed/i

/** True when the server can't be reached or the connection went in between. */
export function isLost(error: unknown): boolean {
  const code = boltCode(error)
  return code !== null && (lost.has(code) || (code === 'N/A' && lostWords.test((error as Error).message)))
}

/** What two writers do to each other where no lock kept them apart: the loser looks again and finds out. */
const races: ReadonlySet<string> = new Set([
  'Neo.ClientError.Schema.ConstraintValidationFailed',
  'Neo.ClientError.Statement.EntityNotFound',
  'Neo.ClientError.Transaction.TransactionNotFound',
])

/** True when the same work may succeed at once: a deadlock, a lost race. Nothing of it was kept. */
export function isPassing(error: unknown): boolean {
  const code = boltCode(error)
  return code !== null && (/^(?:Neo|Memgraph)\.TransientError\./.test(code) || races.has(code))
}

function explain(code: string): readonly [ErrorCode, string] {
  if (code.startsWith('Neo.ClientError.Security'))
    return ['BACKEND_FAILED', 'the server refused the user or what it may do. Check user, password and rights']
  if (/TransactionTimedOut|LockClientStopped|LockAcquisitionTimeout/.test(code))
    return ['BACKEND_TIMEOUT', 'it took too long and was stopped. Nothing was kept; try again']
  if (code.includes('DatabaseNotFound'))
    return ['BACKEND_FAILED', 'there is no such database. Check the option database']
  return ['BACKEND_FAILED', 'the server failed']
}

const unreachable: readonly [ErrorCode, string] = [
  'BACKEND_UNAVAILABLE',
  'the server can not be reached. Check that it runs and the url; the store goes on by itself',
]

/** An error of the driver as one of ours. Its own words may name values and places, so only its code goes on. */
export function backendFailure(operation: string, error: unknown): unknown {
  const failure = boltCode(error)
  if (failure === null) return error
  const [code, explanation] = isLost(error) ? unreachable : explain(failure)
  return new BackendError({
    code,
    message: `bolt store: ${operation}: ${explanation} (${failure}).`,
    details: { operation, failure },
  })
}

export function timedOut(operation: string, timeoutMs: number): BackendError {
  return new BackendError({
    code: 'BACKEND_TIMEOUT',
    message: `bolt store: ${operation}: no answer within ${timeoutMs} ms. Whether a write landed is not known; read before you repeat it.`,
    details: { operation, timeoutMs },
  })
}

/** The answer to a commit is lost, and nobody can be asked. */
export function fateUnknown(operation: string): BackendError {
  return new BackendError({
    code: 'BACKEND_UNAVAILABLE',
    message: `bolt store: ${operation}: the connection was lost and the server can not be asked: whether it landed is not known. Read before you repeat it.`,
    details: { operation },
  })
}

/** Others were in the way at every attempt. */
export function crowded(operation: string): BackendError {
  return new BackendError({
    code: 'BACKEND_TIMEOUT',
    message: `bolt store: ${operation}: others were in the way for too long. Nothing was kept; try again.`,
    details: { operation },
  })
}
