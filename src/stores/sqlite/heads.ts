import { erasedId, linkConflict, type StoreChange, scopeConflict, type Transaction } from '../../contract/index.ts'
import { ownerKey, scopeFromKey, scopeKey } from '../../model/index.ts'
import { jsonList } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import type { SqliteRow } from './driver.ts'
import type { Known } from './known.ts'
import type { Work } from './work.ts'

/** The last revision of an id. */
export interface Head {
  /** Its number in the log. */
  readonly rev: number
  readonly version: number
  readonly scopeKey: string
  /** Epoch milliseconds; null for a tombstone. */
  readonly createdAt: number | null
  /** False when the last revision is a tombstone. */
  readonly present: boolean
}

/** What the file knows of ids, looked up once in a transaction and kept up to date by it. */
export interface Heads {
  get(id: string): Head | null
  set(id: string, head: Head): void
  /** Looks many up at once. */
  prepare(ids: Iterable<string>): Work<void>
  /** The last version of an id that has no head: that of the tombstone an erase left, else 0. */
  erasedVersion(id: string): number
}

const chunk = 512

// From the index alone, as the rows hold the contents.
const columns = 'v.rev, v.id, v.version, v.gone, v.created_at, s.key'
const lastOf = (id: string) =>
  `log v INDEXED BY log_id ON v.id = ${id} AND v.version = (SELECT max(version) FROM log INDEXED BY log_id WHERE id = ${id} AND version > 0) JOIN scopes s ON s.id = v.scope`
const one = `SELECT ${columns} FROM (SELECT ? AS id) j CROSS JOIN ${lastOf('j.id')}`
const isThere = 'SELECT 1 FROM log INDEXED BY log_id WHERE id = ? AND version > 0 LIMIT 1'
const many = `SELECT ${columns} FROM json_each(?) j CROSS JOIN ${lastOf('j.value')}`

/** Other ids may not come out of JSON functions as they went in. */
const isPlain = /^[\x20-\x7e]*$/

function headOf(row: SqliteRow): Head {
  return {
    rev: row.rev as number,
    version: row.version as number,
    scopeKey: row.key as string,
    createdAt: row.created_at as number | null,
    present: row.gone === 0,
  }
}

export function headsIn(db: Connection, facts: Pick<Known, 'anyErased'>, salt: string): Heads {
  const known = new Map<string, Head | null>()

  function load(id: string): Head | null {
    // Mostly it is a new one, which the index alone tells.
    if (readValue(db, isThere, id) === null) return null
    const row = db.sql(one).get(id)
    return row === undefined ? null : headOf(row)
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
    *prepare(ids) {
      let part: string[] = []
      const loadPart = () => {
        for (const row of db.sql(many).all(jsonList(part))) known.set(row.id as string, headOf(row))
        part = []
      }
      for (const id of ids) {
        if (known.has(id) || !isPlain.test(id)) continue
        known.set(id, null)
        part.push(id)
        if (part.length < chunk) continue
        loadPart()
        yield
      }
      if (part.length > 0) loadPart()
    },
    erasedVersion(id) {
      if (!facts.anyErased()) return 0
      const version = readValue(db, 'SELECT max(version) FROM log WHERE id = ? AND version > 0', erasedId(salt, id))
      return (version as number | null) ?? 0
    },
  }
}

/** Ids of records that a change is about. */
export function idsOf(change: StoreChange): readonly string[] {
  if (change.type === 'put') return [change.record.id]
  if (change.type === 'remove') return [change.id]
  if (change.type === 'link') return [change.link.from, change.link.to]
  return change.type === 'unlink' ? [change.from, change.to] : []
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
  const scopes = new Set<string>()
  const addOwner = (key: string) => {
    if (scopes.has(key)) return
    scopes.add(key)
    owners.add(ownerKey(scopeFromKey(key)))
  }

  function check(change: StoreChange): void {
    if (change.type === 'put') {
      const { id, scope } = change.record
      const known = place(id)
      const key = scopeKey(scope)
      if (known !== null && known.scopeKey !== key) throw scopeConflict(id)
      places.set(id, { scopeKey: key, present: true })
      addOwner(key)
    } else if (change.type === 'remove') {
      const known = place(change.id)
      if (known?.present !== true) return
      places.set(change.id, { scopeKey: known.scopeKey, present: false })
      addOwner(known.scopeKey)
    } else if (change.type === 'journal') {
      owners.add(ownerKey(change.line.scope))
    } else {
      for (const id of idsOf(change)) {
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
