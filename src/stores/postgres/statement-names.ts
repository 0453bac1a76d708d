import type { Client } from './driver.ts'
import { stateOf } from './failure.ts'

/** So many statements have names: each costs memory in every connection's process on the server. */
const mostNames = 150
/** So many are counted; filters make ever new ones. */
const mostCounted = 1000
/** A statement that comes so often gets a name. */
const enough = 3

/** The server knows no such name, or knows it for something else: somebody in between hands connections around after all. */
const strangers: ReadonlySet<string | null> = new Set(['26000', '42P05'])

/** A table has other columns than when the statement got its name. */
const isOutlived = (error: unknown): boolean =>
  error instanceof Error && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery'

/**
 * Names for statements that come again: the server parses and plans such a one a few times for each connection, and not each time.
 * A name belongs to one process of the server, so there are none where a pooler is in between. It would be seen by the number of that
 * process: a pooler gives its clients numbers of its own.
 */
export interface StatementNames {
  /** @param ask runs a statement on the client; it is asked of each client once, and nobody waits for it */
  nameFor(client: Client, text: string, ask: (text: string) => Promise<unknown>): string | undefined
  /** True when a statement failed for its name alone: nothing of it was done, and later ones have no names. */
  isMisnamed(error: unknown): boolean
}

export function createStatementNames(): StatementNames {
  const own = new WeakMap<Client, boolean>()
  const counts = new Map<string, number>()
  const names = new Map<string, string>()
  let isOff = false

  function meet(client: Client, ask: (text: string) => Promise<unknown>): boolean {
    const known = own.get(client)
    if (known !== undefined) return known
    own.set(client, false)
    ask('SELECT pg_backend_pid() AS pid').then(
      (pid) => own.set(client, pid === client.processID),
      () => own.delete(client),
    )
    return false
  }

  return {
    nameFor(client, text, ask) {
      if (isOff || !meet(client, ask)) return undefined
      const known = names.get(text)
      if (known !== undefined || names.size >= mostNames) return known
      const count = (counts.get(text) ?? 0) + 1
      if (count < enough) {
        if (counts.size >= mostCounted) counts.clear()
        counts.set(text, count)
        return undefined
      }
      counts.delete(text)
      const name = `mneme_${names.size}`
      names.set(text, name)
      return name
    },
    isMisnamed(error) {
      if (!strangers.has(stateOf(error)) && !isOutlived(error)) return false
      isOff = true
      return true
    },
  }
}
