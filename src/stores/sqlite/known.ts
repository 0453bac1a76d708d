import { ownerKey, type Scope, scopeKey } from '../../model/index.ts'
import { type Connection, readValue } from './connection.ts'
import type { SqliteValue } from './driver.ts'
import { transactionOf, waitingIndex } from './schema.ts'

/** More labels than this are forgotten all at once: they are found again. */
const maxKnown = 100_000

/** The last line of a journal. */
interface ChainEnd {
  readonly seq: number
  readonly digest: string
}

interface Owner {
  readonly id: number
  lastAt: number
  chainEnd: ChainEnd
}

/**
 * What a writer knows of the file without asking: numbers that stand for names in rows, found or made, and where the log
 * ends. It holds until another connection writes, a transaction is rolled back or rows are taken away.
 */
export interface Known {
  scope(scope: Scope, key?: string): number
  analyser(name: string): number
  space(name: string, dimensions: number): number
  /** Epoch milliseconds of an owner's last commit; null for a new owner. */
  lastAt(owner: string): number | null
  setLastAt(owner: string, at: number): void
  /** An owner, made when new, with the end of its chain of journal lines. */
  owner(key: string): Readonly<Owner>
  setChainEnd(key: string, end: ChainEnd): void
  /** Writes what was set: one row of each owner. */
  save(): void
  /** Number of the transaction that is about to be written. */
  nextSeq(): number
  /** True when an erase may have left tombstones under hashes. */
  anyErased(): boolean
  /** Call when a transaction has begun. */
  follow(): void
  forget(): void
}

function lastOf(row: SqliteValue): number {
  return row === null ? 0 : transactionOf(row as number)
}

export function knownOf(db: Connection): Known {
  const numbers = new Map<string, number>()
  const owners = new Map<string, Owner>()
  const changed = new Set<Owner>()
  let version: number | null = null
  let lastSeq: number | null = null
  let erased: boolean | null = null

  function forget(): void {
    numbers.clear()
    owners.clear()
    changed.clear()
    lastSeq = null
    erased = null
  }

  function find(cacheKey: string, make: () => number): number {
    const known = numbers.get(cacheKey)
    if (known !== undefined) return known
    const number = make()
    numbers.set(cacheKey, number)
    return number
  }

  function findOwner(key: string): Owner | null {
    const known = owners.get(key)
    if (known !== undefined) return known
    const row = db.sql('SELECT id, last_at, journal_seq, journal_digest FROM owners WHERE key = ?').get(key)
    if (row === undefined) return null
    const owner = {
      id: row.id as number,
      lastAt: row.last_at as number,
      chainEnd: { seq: row.journal_seq as number, digest: row.journal_digest as string },
    }
    owners.set(key, owner)
    return owner
  }

  function makeOwner(key: string, lastAt: number): Owner {
    const row = db.sql('INSERT INTO owners (key, last_at) VALUES (?, ?) RETURNING id').get(key, lastAt)
    const owner = { id: row?.id as number, lastAt, chainEnd: { seq: 0, digest: '' } }
    owners.set(key, owner)
    return owner
  }

  const owner = (key: string) => findOwner(key) ?? makeOwner(key, 0)

  function change(owner: Owner, values: Partial<Omit<Owner, 'id'>>): void {
    Object.assign(owner, values)
    changed.add(owner)
  }

  return {
    owner,
    scope: (scope, key = scopeKey(scope)) =>
      find(`s${key}`, () => {
        const row =
          db.sql('SELECT id FROM scopes WHERE key = ?').get(key) ??
          db.sql('INSERT INTO scopes (key, owner) VALUES (?, ?) RETURNING id').get(key, owner(ownerKey(scope)).id)
        return row?.id as number
      }),
    analyser: (name) =>
      find(`a${name}`, () => {
        const row =
          db.sql('SELECT id FROM analysers WHERE name = ?').get(name) ??
          db.sql('INSERT INTO analysers (name) VALUES (?) RETURNING id').get(name)
        return row?.id as number
      }),
    space: (name, dimensions) =>
      find(`v${dimensions} ${name}`, () => {
        const row = db.sql('SELECT id FROM spaces WHERE name = ? AND dimensions = ?').get(name, dimensions)
        if (row !== undefined) return row.id as number
        db.exec(waitingIndex)
        return db.sql('INSERT INTO spaces (name, dimensions) VALUES (?, ?) RETURNING id').get(name, dimensions)
          ?.id as number
      }),
    lastAt: (key) => findOwner(key)?.lastAt ?? null,
    setLastAt(key, at) {
      const known = findOwner(key)
      if (known === null) makeOwner(key, at)
      else if (known.lastAt !== at) change(known, { lastAt: at })
    },
    setChainEnd(key, chainEnd) {
      change(owner(key), { chainEnd })
    },
    save() {
      const update = db.sql('UPDATE owners SET last_at = ?, journal_seq = ?, journal_digest = ? WHERE id = ?')
      for (const { id, lastAt, chainEnd } of changed) update.run(lastAt, chainEnd.seq, chainEnd.digest, id)
      changed.clear()
    },
    nextSeq() {
      lastSeq = (lastSeq ?? lastOf(readValue(db, 'SELECT max(rev) FROM log'))) + 1
      return lastSeq
    },
    anyErased() {
      erased ??= readValue(db, "SELECT value FROM meta WHERE name = 'erased'") !== '0'
      return erased
    },
    follow() {
      // Moves when another connection has written, this process's own ones among them.
      const now = readValue(db, 'PRAGMA data_version') as number
      if (now !== version || numbers.size + owners.size > maxKnown) forget()
      version = now
    },
    forget,
  }
}
