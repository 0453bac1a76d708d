import { type Meaning, whyMistrusted, whyUnreachable } from '../../contract/index.ts'
import { type ErrorCode, errorFor, MnemeError } from '../../errors/index.ts'

/** What the first word of an error reply means: the code, and words for people. */
const replies: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  OOM: [
    'BACKEND_FAILED',
    'the server is full and evicts nothing (maxmemory-policy noeviction). Give it more memory or another policy',
  ],
  MISCONF: ['BACKEND_FAILED', 'the server takes no writes because it cannot save to its disk'],
  NOAUTH: ['BAD_CONFIG', 'the server wants a password. Put it into the URL'],
  WRONGPASS: ['BAD_CONFIG', 'the server refuses this user or password. Check them in the URL'],
  NOPERM: ['BAD_CONFIG', 'the user may not run a command that is needed. Give it all of @read, @write, @scripting'],
  READONLY: ['BACKEND_UNAVAILABLE', 'the server is a replica and takes no writes'],
  LOADING: ['BACKEND_UNAVAILABLE', 'the server is still loading its data'],
  MASTERDOWN: ['BACKEND_UNAVAILABLE', 'the server has lost its master'],
  CLUSTERDOWN: ['BACKEND_UNAVAILABLE', 'the cluster is down'],
  TRYAGAIN: ['BACKEND_UNAVAILABLE', 'the cluster is moving keys'],
  BUSY: ['BACKEND_TIMEOUT', 'the server is busy with a script'],
}

/** Replies that begin with no word but ERR. */
const unnamed: readonly (readonly [RegExp, string])[] = [
  [/AUTH.*without any password/i, 'the server has no password. Take it out of the URL'],
  [/DB index is out of range/i, 'there is no database of this number on the server. Check the path of the URL'],
]

/** The driver's words for a server that is not spoken to as it wants to be. */
const greetings: readonly Meaning[] = [
  [/Connection timeout/, 'it did not answer in time. If it has no TLS, write redis://'],
  [/Socket closed unexpectedly/, 'it closed the connection. If it wants TLS, write rediss://'],
]

function failureOf(code: ErrorCode, operation: string, failure: string, words: string): MnemeError {
  // No cause: errors of the driver may carry what was sent, or the address with its password.
  return errorFor({
    code,
    message: `redis hot tier: ${operation}: ${words}.`,
    details: { operation, failure },
  })
}

/** The first word of an error reply in capitals, such as `OOM`; null for other errors. */
function replyWord(message: string): string | null {
  return /^-?([A-Z]{2,}) /.exec(message)?.[1] ?? null
}

/** True when a server was restarted, or never heard of the script. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && replyWord(error.message) === 'NOSCRIPT'
}

/** No answer in time. */
export function timedOut(operation: string, milliseconds: number): MnemeError {
  const words = `the server did not answer within ${milliseconds} ms; the connection was given up`
  return failureOf('BACKEND_TIMEOUT', operation, 'TIMEOUT', words)
}

/** What a call fails with while the last attempt to connect has only just failed. */
export function failedAgain({ code, message, details }: MnemeError): MnemeError {
  return errorFor({ code, message, details })
}

/** An error of the driver as one of ours; mneme's own errors pass through. */
export function backendFailure(operation: string, error: unknown): MnemeError {
  if (MnemeError.is(error)) return error
  const { message, code, name } = error as { message?: unknown; code?: unknown; name?: unknown }
  const word = typeof message === 'string' ? replyWord(message) : null
  if (word !== null) {
    const why = word === 'ERR' ? unnamed.find(([words]) => words.test(message as string))?.[1] : undefined
    if (why !== undefined) return failureOf('BAD_CONFIG', operation, word, why)
    const [known, words] = replies[word] ?? ['BACKEND_FAILED', `the server answered ${word}`]
    return failureOf(known, operation, word, words)
  }
  const failure = typeof code === 'string' ? code : typeof name === 'string' && name !== 'Error' ? name : 'CONNECTION'
  const mistrusted = whyMistrusted(error)
  if (mistrusted !== null)
    return failureOf(
      'BAD_CONFIG',
      operation,
      failure,
      `${mistrusted}. An authority of your own goes into client: { socket: { ca } }`,
    )
  const why = whyUnreachable(error, operation === 'connect' ? greetings : [])
  const words = `the server can't be reached, or the connection was lost${why} (${failure})`
  return failureOf('BACKEND_UNAVAILABLE', operation, failure, words)
}

/** True when the connection is no good any more, false when the server answered on it. */
export function lostConnection(error: unknown): boolean {
  const { code, details } = backendFailure('', error)
  return code === 'BACKEND_TIMEOUT' ? details.failure === 'TIMEOUT' : code === 'BACKEND_UNAVAILABLE'
}

/** The same failure, which says so where what was asked may have been done: it was sent, and no answer came. */
export function withOutcome(error: unknown): never {
  const { code, message, details } = backendFailure('', error)
  const isSent =
    details.operation !== 'connect' && lostConnection(error) && !Object.hasOwn(replies, String(details.failure))
  throw isSent ? errorFor({ code, message, details: { ...details, outcome: 'unknown' } }) : error
}
