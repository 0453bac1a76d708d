import { type Meaning, whyMistrusted, whyUnreachable } from '../../contract/index.ts'
import { BackendError, type ErrorCode, errorFor, MnemeError } from '../../errors/index.ts'

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

/** Only the driver's own words: those of the server may hold anything. */
function mistrusted(error: unknown, code: string): string | null {
  return lost.has(code) ? whyMistrusted(error) : null
}

/** True when the server can't be reached or the connection went in between. */
export function isLost(error: unknown): boolean {
  const code = boltCode(error)
  if (code === null || mistrusted(error, code) !== null) return false
  return lost.has(code) || (code === 'N/A' && lostWords.test((error as Error).message))
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

/** The driver's words for a server of another kind, which it has no code for. */
const speaksHttp = /responded HTTP/

function explain(code: string, error: unknown): readonly [ErrorCode, string] {
  const why = mistrusted(error, code)
  if (why !== null) return ['BAD_CONFIG', `${why}. Where nobody need vouch for it, write +ssc instead of +s in the url`]
  if (/\.Security\.(?:Unauthorized|Unauthenticated)$/.test(code))
    return [
      'BAD_CONFIG',
      'the server refuses this user or password. Check them: in the url, as options, or MNEME_BOLT_USER and MNEME_BOLT_PASSWORD',
    ]
  if (code.endsWith('.Security.AuthenticationRateLimit'))
    return ['BAD_CONFIG', 'wrong passwords came too often. Check user and password, and wait some seconds']
  if (code.endsWith('.Security.CredentialsExpired'))
    return ['BAD_CONFIG', 'the password has to be changed first. Change it on the server']
  if (code.includes('.ClientError.Security.'))
    return ['BAD_CONFIG', 'the user may not do this. Let it read, write, and make constraints and indexes']
  if (code === 'N/A' && speaksHttp.test((error as Error).message))
    return [
      'BAD_CONFIG',
      'HTTP is spoken at the port of the url, and not Bolt, whose port is 7687 where nobody changed it',
    ]
  if (/TransactionTimedOut|LockClientStopped|LockAcquisitionTimeout/.test(code))
    return ['BACKEND_TIMEOUT', 'it took too long and was stopped. Nothing was kept; try again']
  if (code.includes('DatabaseNotFound'))
    return ['BAD_CONFIG', 'there is no such database on the server. Make it, or check the option database']
  return ['BACKEND_FAILED', 'the server failed']
}

/** The driver's words for a server that went away in the greeting. */
const greetings: readonly Meaning[] = [
  [
    /before secure TLS connection/,
    'it does not answer by TLS at this address. If it has none, write bolt:// or neo4j://, without +s',
  ],
  [/closed by server/, 'it closed the connection. If it wants TLS, write bolt+s:// or neo4j+s://'],
]

function unreachable(error: unknown): readonly [ErrorCode, string] {
  const why = whyUnreachable(error, greetings)
  return [
    'BACKEND_UNAVAILABLE',
    `the server can not be reached${why}. Check that it runs and the url; the store goes on by itself`,
  ]
}

/** An error of the driver as one of ours. Its own words may name values and places, so only its code goes on. */
export function backendFailure(operation: string, error: unknown): unknown {
  const failure = boltCode(error)
  if (failure === null) return error
  const [code, explanation] = isLost(error) ? unreachable(error) : explain(failure, error)
  return errorFor({
    code,
    message: `bolt store: ${operation}: ${explanation} (${failure}).`,
    details: { operation, failure },
  })
}

/** What is said of a transaction that may have been written all the same. */
function unknown(tx: string) {
  return {
    words: `Transaction ${tx} may have been written; ask for it before you try again`,
    details: { tx, outcome: 'unknown' },
  }
}

/** @param tx of a write that must not be done twice */
export function timedOut(operation: string, timeoutMs: number, tx?: string): BackendError {
  const { words, details } = tx === undefined ? { words: 'Try again', details: {} } : unknown(tx)
  return new BackendError({
    code: 'BACKEND_TIMEOUT',
    message: `bolt store: ${operation}: no answer within ${timeoutMs} ms. ${words}.`,
    details: { operation, timeoutMs, ...details },
  })
}

/** The answer to a commit is lost, and nobody can be asked. */
export function fateUnknown(operation: string, tx: string): BackendError {
  const { words, details } = unknown(tx)
  return new BackendError({
    code: 'BACKEND_UNAVAILABLE',
    message: `bolt store: ${operation}: the connection was lost before the answer came, and the server can not be asked. ${words}.`,
    details: { operation, ...details },
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
