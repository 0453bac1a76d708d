import type { StoreChange } from '../../contract/index.ts'
import { jsonList } from './codec.ts'
import type { Connection } from './connection.ts'
import { countUseless, emptyRevisions, isEmpty } from './emptied.ts'
import type { Head, Heads } from './heads.ts'

export type Remove = Extract<StoreChange, { readonly type: 'remove' }>

const inList = 'IN (SELECT value FROM json_each(?))'
const versionsOf = `FROM log INDEXED BY log_id WHERE id ${inList} AND version > 0`

/** Condition on `records`: where any version of the ids is or was, and it itself if it is there yet. One parameter: the ids. */
export const recordsOf = `(scope, created_at, id) IN (SELECT scope, created_at, id ${versionsOf})`

const leaveTombstones =
  'INSERT INTO log (rev, id, version, gone, scope, kind, op) SELECT ? + j.key, v.id, v.version + 1, 1, v.scope, v.kind, ? FROM json_each(?) j CROSS JOIN log v ON v.rev = j.value'

interface Removed {
  readonly id: string
  /** The last revision before. */
  readonly head: Head
}

/** Numbers of all revisions of the ids, tombstones included. */
function revisionsOf(db: Connection, removed: readonly Removed[]): number[] {
  const first = removed.filter(({ head }) => head.version === 1)
  const others = removed.filter(({ head }) => head.version > 1)
  const rows = others.length === 0 ? [] : db.sql(`SELECT rev ${versionsOf}`).all(jsonList(others.map(({ id }) => id)))
  return [...first.map(({ head }) => head.rev), ...rows.map((row) => row.rev as number)]
}

/** Takes records away: every link of them, out of the log too, and all contents of their past. */
function drop(db: Connection, removed: readonly Removed[]): void {
  const list = jsonList(removed.map(({ id }) => id))
  const revisions = jsonList(revisionsOf(db, removed))
  if (!isEmpty(db, 'link_log')) {
    for (const table of ['links', 'link_log']) {
      db.sql(`DELETE FROM ${table} WHERE from_id ${inList} OR to_id ${inList}`).run(list, list)
    }
  }
  db.sql(`DELETE FROM records WHERE ${recordsOf}`).run(list)
  if (!isEmpty(db, 'mentions')) db.sql(`DELETE FROM mentions WHERE rev ${inList}`).run(revisions)
  countUseless(db, emptyRevisions(db, `rev ${inList}`, revisions))
}

/** Removes one after the other, of one op; those whose record is not there do nothing. @param number that of the first */
export function removeAll(db: Connection, heads: Heads, changes: readonly Remove[], number: number): void {
  const removed: Removed[] = []
  for (const { id } of changes) {
    const head = heads.get(id)
    if (head?.present !== true) continue
    heads.set(id, { ...head, rev: number + removed.length, version: head.version + 1, createdAt: null, present: false })
    removed.push({ id, head })
  }
  const [first] = changes
  if (first === undefined || removed.length === 0) return
  db.sql(leaveTombstones).run(number, first.op, jsonList(removed.map(({ head }) => head.rev)))
  drop(db, removed)
}
