import type { Client, Row } from './driver.ts'

/**
 * Tells which connections are sessions of the server's own, on which something may be kept, and which go through a pooler that may give
 * each transaction another session: such a pooler numbers its clients itself, so their numbers are not those of the server's processes.
 */
export interface OwnSessions {
  /** False as long as it is not known. */
  isOwn(client: Client): boolean
  /** Its settings were made, so its statements have a limit of time, trusted or not. */
  isSet(client: Client): boolean
  /** To be called before anything else is sent; nobody waits for the answer. */
  meet(client: Client, send: (text: string, values: readonly unknown[]) => Promise<readonly Row[]>): void
  /** Something that was kept is not there: none is taken for its own any more. */
  distrust(): void
}

// Where it is somebody else's session, nothing is set.
const greeting = `SELECT pg_backend_pid() = $1::int AS own, CASE WHEN pg_backend_pid() = $1::int THEN
  set_config('statement_timeout', $2, false) || set_config('idle_in_transaction_session_timeout', $2, false) || set_config('jit', 'off', false) END AS set`

/** @param timeoutMs of a statement, and of a transaction in which nothing happens */
export function createOwnSessions(timeoutMs: number): OwnSessions {
  const known = new WeakMap<Client, boolean>()
  let isTrusting = true
  return {
    isOwn: (client) => isTrusting && known.get(client) === true,
    isSet: (client) => known.get(client) === true,
    meet(client, send) {
      if (!isTrusting || known.has(client)) return
      known.set(client, false)
      send(greeting, [client.processID ?? 0, String(timeoutMs)]).then(
        ([row]) => known.set(client, row?.own === true),
        () => undefined,
      )
    },
    distrust() {
      isTrusting = false
    },
  }
}
