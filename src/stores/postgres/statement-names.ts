import { stateOf } from './failure.ts'

/** So many statements have names: each costs memory in every connection's process on the server. */
const mostNames = 150
/** So many are counted; filters make ever new ones. */
const mostCounted = 1000
/** A statement that comes so often gets a name. */
const enough = 3

/** Names for statements that come again: the server parses and plans such a one a few times for each connection, and not each time. */
export interface StatementNames {
  nameFor(text: string): string | undefined
}

export function createStatementNames(): StatementNames {
  const counts = new Map<string, number>()
  const names = new Map<string, string>()
  return {
    nameFor(text) {
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
  }
}

/** The server knows no such name, or knows it for something else. */
const strangers: ReadonlySet<string | null> = new Set(['26000', '42P05'])

/** True when a statement failed for its name alone: nothing of it was done. */
export function isMisnamed(error: unknown): boolean {
  // The last is what a named statement says of a table that has other columns by now.
  const { routine } = (error ?? {}) as { readonly routine?: unknown }
  return strangers.has(stateOf(error)) || routine === 'RevalidateCachedQuery'
}
