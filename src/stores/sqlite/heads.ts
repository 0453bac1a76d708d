import { erasedId, linkConflict, type StoreChange, scopeConflict, type Transaction } from '../../contract/index.ts'
import { ownerKey, scopeFromKey, scopeKey } from '../../model/index.ts'
import { type Connection, readValue } from './connection.ts'
import type { Work } from './work.ts'

/** The last revision of an id. */
export interface Head {
  readonly version: number
  readonly kind: string
  readonly scopeKey: string
  /** False when the last revision is a tombstone. */
  readonly present: boolean
}

/** What the file knows of ids, looked up once in a transaction and kept up to date by it. */
export interface Heads {
  get(id: string): Head | null
  set(id: string, head: Head): void
  /** The last version of an id that has no head: that of the tombstone an erase left, else 0. */
  erasedVersion(id: string): number
}

export function headsIn(db: Connection, salt: string): Heads {
  const known = new Map<string, Head | null>()
  let anyErased: boolean | undefined

  function load(id: string): Head | null {
    const row = db
      .sql(
        'SELECT v.version, v.kind, v.gone, s.key FROM revisions v JOIN scopes s ON s.id = v.scope WHERE v.id = ? ORDER BY v.version DESC LIMIT 1',
      )
      .get(id)
    if (row === undefined) return null
    return {
      version: row.version as number,
      kind: row.kind as string,
      scopeKey: row.key as string,
      present: row.gone === 0,
    }
  }

  return {
    get(id) {
      let head = known.get(id)
      if (head === undefined) {
        head = load(id)
        known.set(id, head)
      }
      return head
    },
    set(id, head) {
      known.set(id, head)
    },
    erasedVersion(id) {
      anyErased ??= readValue(db, "SELECT value FROM meta WHERE name = 'erased'") !== '0'
      if (!anyErased) return 0
      const version = readValue(db, 'SELECT max(version) FROM revisions WHERE id = ?', erasedId(salt, id))
      return (version as number | null) ?? 0
    },
  }
}

type Place = Pick<Head, 'scopeKey' | 'present'>

/**
 * Checks that every change can be applied, in order, before any is.
 * @returns the keys of the owners whose commit it is
 */
export function* checkChanges(heads: Heads, transaction: Transaction): Work<Set<string>> {
  const owners = new Set<string>()
  const places = new Map<string, Place>()
  const place = (id: string): Place | null => places.get(id) ?? heads.get(id)
  const addOwner = (key: string) => owners.add(ownerKey(scopeFromKey(key)))

  function check(change: StoreChange): void {
    if (change.type === 'put') {
      const { id, scope } = change.record
      const known = place(id)
      const key = scopeKey(scope)
      if (known !== null && known.scopeKey !== key) throw scopeConflict(id)
      places.set(id, { scopeKey: key, present: true })
      owners.add(ownerKey(scope))
    } else if (change.type === 'remove') {
      const known = place(change.id)
      if (known?.present !== true) return
      places.set(change.id, { scopeKey: known.scopeKey, present: false })
      addOwner(known.scopeKey)
    } else if (change.type === 'journal') {
      owners.add(ownerKey(change.line.scope))
    } else {
      for (const id of change.type === 'link' ? [change.link.from, change.link.to] : [change.from, change.to]) {
        const known = place(id)
        if (known?.present === true) addOwner(known.scopeKey)
        else if (change.type === 'link') throw linkConflict(id)
      }
    }
  }

  if (transaction.idempotency) owners.add(ownerKey(transaction.idempotency.scope))
  for (const change of transaction.changes) {
    check(change)
    yield
  }
  return owners
}
