import type { Claim, StoredRecord } from '../../contract/index.ts'
import { findHolder, mayBeHeld } from './claims.ts'
import { accessOf } from './codec.ts'
import type { Connection } from './connection.ts'
import { loadAll, type Place } from './content.ts'
import type { Work } from './work.ts'

const chunk = 64

function placeOf(db: Connection, claim: Claim): Place | null {
  const row = findHolder(db, claim)
  return row === undefined ? null : { rev: row.rev as number, access: accessOf(row) }
}

/** The oldest live record that holds each claim. */
export function* holders(db: Connection, claims: readonly Claim[]): Work<(StoredRecord | null)[]> {
  const found: (StoredRecord | null)[] = claims.map(() => null)
  const held = [...(yield* mayBeHeld(db, claims))]
  for (let start = 0; start < held.length; start += chunk) {
    const part = held.slice(start, start + chunk)
    const places = part.map((i) => placeOf(db, claims[i] as Claim))
    const loaded = loadAll(
      db,
      places.filter((place) => place !== null),
    ).values()
    places.forEach((place, j) => {
      if (place !== null) found[part[j] as number] = loaded.next().value?.stored ?? null
    })
    yield
  }
  return found
}
