import { type StoredVector, spacesOf, type VectorSpace } from '../../contract/index.ts'
import type { Session } from './session.ts'
import { number } from './tokens.ts'

/** Takes what `spaceRows` makes. */
export const noteSpaces =
  'UNWIND $rows AS row MERGE (s:MnemeSpace {uid: row.uid}) SET s.store = row.store, s.space = row.space, s.dimensions = row.dimensions'

/** Names a space, in `spaces` of a session too. */
export function spaceName({ space, dimensions }: VectorSpace): string {
  return JSON.stringify([space, dimensions])
}

/** Of the spaces of vectors those that are not known to be listed. */
export function spaceRows(
  { partition: { uid, store }, spaces }: Session,
  vectors: Iterable<StoredVector | null | undefined>,
) {
  return spacesOf(vectors)
    .filter((space) => !spaces.has(spaceName(space)))
    .map((space) => ({
      uid: uid(spaceName(space)),
      store,
      space: JSON.stringify(space.space),
      dimensions: number(space.dimensions),
    }))
}
