import { whyMistrusted, whyUnreachable } from '../../contract/index.ts'
import { BackendError, type ErrorCode, MnemeError, SetupError } from '../../errors/index.ts'

const sqlState = /^[0-9A-Z]{5}$/

/** The five characters by which the server names an error; null for one that is not the server's. */
export function stateOf(error: unknown): string | null {
  if (!(error instanceof Error) || MnemeError.is(error)) return null
  const { code, severity } = error as Error & { code?: unknown; severity?: unknown }
  return typeof code === 'string' && typeof severity === 'string' && sqlState.test(code) ? code : null
}

/** The state of what the user may not do. */
export const insufficientPrivilege = '42501'

/** States of a server that stops, starts, or has no room for a connection. */
const unavailable = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25P03'])
/** Errors of sockets and of `pg` when a connection is gone. */
const lostWords =
  /Connection terminated|Connection ended|not queryable|Client was closed|read timeout|socket hang up|SSL\/TLS|timeout expired|timeout exceeded|establishing an SSL connection/i
const lostCodes = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ERR_STREAM|ERR_SSL|ERR_SOCKET)/

/** True when no connection could be made, or the one in use is gone: what was asked may or may not have happened. */
export function isConnectionLost(error: unknown): boolean {
  const state = stateOf(error)
  if (state !== null) return state.startsWith('08') || unavailable.has(state)
  if (!(error instanceof Error) || MnemeError.is(error)) return false
  const { code } = error as Error & { code?: unknown }
  return (typeof code === 'string' && lostCodes.test(code)) || lostWords.test(error.message)
}

/** True when nothing was heard for so long that the connection was given up. */
export function hasTimedOut(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** True when the same transaction may succeed when it is begun anew: a race of two new names, a deadlock. */
export function isRace(error: unknown): boolean {
  const state = stateOf(error)
  return state === '23505' || state === '40001' || state === '40P01'
}

/** In the words of `pg`, which has no code for them. */
const misfits: readonly (readonly [words: string, why: string])[] = [
  [
    'The server does not support SSL connections',
    'the server takes no encrypted connections. Switch them on there, or use sslmode=disable',
  ],
  ['client password must be a', 'the server wants a password. Put it into the URL'],
]

function misfitOf(error: unknown): string | undefined {
  const mistrusted = whyMistrusted(error)
  if (mistrusted !== null) return `${mistrusted}. Where nobody need vouch for it, sslmode=require encrypts all the same`
  return misfits.find(([words]) => String(error).includes(words))?.[1]
}

const refusals: Readonly<Record<string, string>> = {
  '28000':
    'the server refuses this user. Check the user of the URL, who may connect to the server (pg_hba.conf), and whether only with sslmode=require',
  '28P01': 'the server refuses this user or password. Check them in the URL',
  '3D000': 'there is no such database on the server. Make it, or check the URL',
  MNW01: 'the wall refuses the secret: it was raised with another one. Use that, or call raiseWall with this one',
  MNW02: "the wall refuses a token: its time is up, as the server's clock was put forward. Open the store anew",
  [insufficientPrivilege]:
    'the user may not do this; grant it what the store needs, or let an owner of the schema open it first',
}

function reasonOf(error: unknown): readonly [ErrorCode, string] {
  if (isConnectionLost(error)) {
    const why = stateOf(error) === null ? whyUnreachable(error) : ''
    return [
      'BACKEND_UNAVAILABLE',
      `the server could not be reached${why}. Check that it runs and the URL, or try again`,
    ]
  }
  switch (stateOf(error)) {
    case '57014':
      return ['BACKEND_TIMEOUT', 'the server took too long and was stopped. Nothing was written; try again']
    case '55P03':
    case '40001':
    case '40P01':
    case '23505':
      return ['BACKEND_TIMEOUT', 'other writers were in the way for too long. Nothing was written; try again']
    case '53100':
      return ['BACKEND_FAILED', 'the disk of the server is full. Nothing was written and reading still works']
    case '25006':
      return ['BACKEND_FAILED', 'the server can only be read. Nothing was written; use the address of the primary']
    default:
      return ['BACKEND_FAILED', 'the server refused a statement']
  }
}

/** What of an error may be logged: neither values nor addresses, which messages of the server and of sockets hold. */
function bareCause(error: unknown): Error {
  const { code } = error as { code?: unknown }
  return new Error(typeof code === 'string' ? `PostgreSQL: ${code}` : 'PostgreSQL: connection failed')
}

/** An error of the driver as one of ours; mneme's own errors and others' pass through. */
export function backendFailure(operation: string, error: unknown): unknown {
  if (MnemeError.is(error)) return error
  const state = stateOf(error)
  const cause = bareCause(error)
  const misfit = state === null ? misfitOf(error) : undefined
  if (misfit !== undefined)
    return new SetupError({ code: 'BAD_CONFIG', message: `postgres store: ${misfit}.`, details: { operation }, cause })
  if (state === null && !isConnectionLost(error)) return error
  const details = { operation, ...(state === null ? {} : { state }) }
  const refusal = state === null ? undefined : refusals[state]
  if (refusal !== undefined) {
    return new SetupError({ code: 'BAD_CONFIG', message: `postgres store: ${refusal} (${state}).`, details, cause })
  }
  const [code, reason] = reasonOf(error)
  const message = `postgres store: ${operation}: ${reason}${state === null ? '' : ` (${state})`}.`
  return new BackendError({ code, message, details, cause })
}
