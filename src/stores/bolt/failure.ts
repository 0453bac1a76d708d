import { BackendError, type ErrorCode, MnemeError } from '../../errors/index.ts'

/** The code of an error of the driver or the server; null for any other. */
export function boltCode(error: unknown): string | null {
  if (!(error instanceof Error) || MnemeError.is(error)) return null
  const { code, name } = error as Error & { code?: unknown }
  return typeof code === 'string' && (name === 'Neo4jError' || /^(?:Neo|Memgraph)\./.test(code)) ? code : null
}

const lost: ReadonlySet<string> = new Set(['ServiceUnavailable', 'SessionExpired'])

/** True when the server can't be reached or the connection went in between. */
export function isLost(error: unknown): boolean {
  const code = boltCode(error)
  return code !== null && (lost.has(code) || code === 'Neo.TransientError.General.DatabaseUnavailable')
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
  if (lost.has(code))
    return [
      'BACKEND_UNAVAILABLE',
      'the server can not be reached. Check that it runs and the url; the store goes on by itself',
    ]
  if (code.startsWith('Neo.ClientError.Security'))
    return ['BACKEND_FAILED', 'the server refused the user or what it may do. Check user, password and rights']
  if (/TransactionTimedOut|LockClientStopped|LockAcquisitionTimeout/.test(code))
    return ['BACKEND_TIMEOUT', 'it took too long and was stopped. Nothing was kept; try again']
  if (code.includes('DatabaseNotFound'))
    return ['BACKEND_FAILED', 'there is no such database. Check the option database']
  if (isPassingCode(code))
    return ['BACKEND_TIMEOUT', 'others were in the way for too long. Nothing was kept; try again']
  return ['BACKEND_FAILED', 'the server failed']
}

function isPassingCode(code: string): boolean {
  return code.includes('TransientError') || races.has(code)
}

/** An error of the driver as one of ours. Its own words may name values and places, so only its code goes on. */
export function backendFailure(operation: string, error: unknown): unknown {
  const failure = boltCode(error)
  if (failure === null) return error
  const [code, explanation] = explain(failure)
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
