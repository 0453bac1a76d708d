import { boltCode } from './failure.ts'
import type { Session } from './session.ts'

/** Longest vectors that indexes take. */
const longest = 4096

/**
 * Has an index made for vectors of these lengths, the first time they are met. Nobody waits for it: it is for people's own queries.
 * Where a server can't, health says so.
 */
export function indexVectors(session: Session, lengths: Iterable<number>): void {
  const { connection, dialect, indexed, lacks, background } = session
  for (const length of lengths) {
    if (indexed.has(length)) continue
    indexed.add(length)
    const text = length >= 1 && length <= longest ? dialect.vectorIndex(length) : null
    if (text === null) continue
    const made = connection.alone({ operation: 'index vectors' }, text).catch((error: unknown) => {
      const code = boltCode(error) ?? ''
      if (!dialect.alreadyThere.test(code) && !dialect.alreadyThere.test(String((error as Error).message)))
        lacks.add(`an index of vectors of ${length} numbers`)
    })
    background.add(made)
    void made.finally(() => background.delete(made))
  }
}
