import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto'
import type { SnapshotPart, SnapshotState, SnapshotStore } from '../../contract/index.ts'
import { jsonList } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import { readPosition } from './cursor.ts'
import type { Heads } from './heads.ts'
import { changesPerTransaction, transactionOf } from './schema.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

/**
 * Parts are enciphered, each with a key of its own that lies in its row: to make megabytes unreadable takes one small
 * row, where zeroing them takes 10 ms each and every removal would have to wait for it. The chunks are cleared away later.
 *
 * The key is the end of a blob that does not fit into a page: SQLite moves rows from page to page and leaves copies in
 * unused parts of pages, but not what lies on pages of its own; those are zeroed when the row is deleted.
 */
export const snapshotSchema = `
CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  first INTEGER,
  last INTEGER,
  chunks INTEGER NOT NULL,
  secret BLOB NOT NULL,
  UNIQUE (name, key)
) STRICT;
CREATE TABLE snapshot_chunks (
  part INTEGER NOT NULL,
  place INTEGER NOT NULL,
  tag BLOB NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (part, place)
) STRICT;
INSERT INTO meta (name, value) VALUES ('removals', '0'), ('analysed', '0');
`

const cipher = 'aes-128-gcm'
const secretBytes = 16
/** Of the blob that ends in the key: more than a page. */
const paddedBytes = 8000
const tagBytes = 16

/** A key enciphers each chunk once, so that the place of the chunk will do. */
function nonceOf(place: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32LE(place)
  return nonce
}

function stateOf(db: Connection): Pick<SnapshotState, 'generation' | 'epoch'> {
  const count = (name: string) => String(readValue(db, 'SELECT value FROM meta WHERE name = ?', name))
  const epoch = count('analysed')
  return { generation: `${epoch}.${count('removals')}`, epoch }
}

export function snapshotState(db: Connection, name: string): SnapshotState {
  const rows = db.sql('SELECT key FROM snapshots WHERE name = ? ORDER BY id').all(name)
  return { ...stateOf(db), keys: rows.map((row) => row.key as string) }
}

/** Null for bytes that are not what was written. */
function decipher(secret: Uint8Array, place: number, tag: Uint8Array, bytes: Uint8Array): Uint8Array | null {
  if (secret.length !== secretBytes || tag.length !== tagBytes) return null
  const deciphering = createDecipheriv(cipher, secret, nonceOf(place))
  deciphering.setAuthTag(tag)
  const plain = deciphering.update(bytes)
  try {
    deciphering.final()
    return plain
  } catch {
    return null
  }
}

export function* readSnapshot(db: Connection, name: string, key: string): Work<readonly Uint8Array[] | null> {
  const part = db.sql('SELECT id, secret, chunks FROM snapshots WHERE name = ? AND key = ?').get(name, key)
  if (part === undefined) return null
  const secret = (part.secret as Uint8Array).subarray(-secretBytes)
  const chunks: Uint8Array[] = []
  for (let place = 0; place < (part.chunks as number); place++) {
    const row = db
      .sql('SELECT tag, bytes FROM snapshot_chunks WHERE part = ? AND place = ?')
      .get(part.id as number, place)
    const chunk = row && decipher(secret, place, row.tag as Uint8Array, row.bytes as Uint8Array)
    if (!chunk) return null
    chunks.push(chunk)
    yield
  }
  return chunks
}

function* writePart(db: Connection, session: Session, name: string, part: SnapshotPart): Work<void> {
  const { key, span, chunks } = part
  const first = span === null ? null : 1 + (span.after === null ? 0 : readPosition(db, session, span.after))
  const last = span === null ? null : readPosition(db, session, span.until)
  const padded = Buffer.alloc(paddedBytes)
  const secret = randomFillSync(padded.subarray(-secretBytes))
  const row = db
    .sql('INSERT INTO snapshots (name, key, first, last, chunks, secret) VALUES (?, ?, ?, ?, ?, ?) RETURNING id')
    .get(name, key, first, last, chunks.length, padded)
  for (const [place, chunk] of chunks.entries()) {
    const ciphering = createCipheriv(cipher, secret, nonceOf(place))
    const bytes = ciphering.update(chunk)
    ciphering.final()
    db.sql('INSERT INTO snapshot_chunks (part, place, tag, bytes) VALUES (?, ?, ?, ?)').run(
      row?.id as number,
      place,
      ciphering.getAuthTag(),
      bytes,
    )
    yield
  }
}

export function* writeSnapshot(
  db: Connection,
  session: Session,
  name: string,
  { generation, parts, only }: Parameters<SnapshotStore['write']>[1],
): Work<boolean> {
  if (stateOf(db).generation !== generation) return false
  if (only !== undefined) {
    db.sql('DELETE FROM snapshots WHERE name = ? AND key NOT IN (SELECT value FROM json_each(?))').run(
      name,
      JSON.stringify(only),
    )
  }
  yield* clearChunks(db)
  for (const part of parts) yield* writePart(db, session, name, part)
  return true
}

/** Chunks of parts that went are unreadable already: nothing has to be zeroed. */
export function* clearChunks(db: Connection): Work<void> {
  const rows = db.sql('SELECT rowid AS chunk FROM snapshot_chunks WHERE part NOT IN (SELECT id FROM snapshots)').all()
  if (rows.length === 0) return
  db.exec('PRAGMA secure_delete = OFF')
  try {
    for (const row of rows) {
      db.sql('DELETE FROM snapshot_chunks WHERE rowid = ?').run(row.chunk as number)
      yield
    }
  } finally {
    db.exec('PRAGMA secure_delete = ON')
  }
}

/** Numbers of the transactions that wrote any version of the ids. */
function transactionsOf(db: Connection, ids: readonly string[], heads: Pick<Heads, 'get'> | undefined): number[] {
  const seqs = new Set<number>()
  // Of most there is one version, whose place the writer has looked up already.
  const others = ids.filter((id) => {
    const head = heads?.get(id)
    if (head?.version !== 1) return true
    seqs.add(transactionOf(head.rev))
    return false
  })
  if (others.length > 0) {
    const rows = db
      .sql(
        `SELECT DISTINCT v.rev / ${changesPerTransaction} AS seq FROM json_each(?) j CROSS JOIN log v INDEXED BY log_id ON v.id = j.value AND v.version > 0`,
      )
      .all(jsonList(others))
    for (const row of rows) seqs.add(row.seq as number)
  }
  return [...seqs]
}

/** Makes unreadable what snapshots hold of records that are about to go. To be called while their revisions are there. */
export function dropPartsOf(db: Connection, ids: readonly string[], heads?: Pick<Heads, 'get'>): void {
  if (ids.length === 0) return
  db.sql("UPDATE meta SET value = value + 1 WHERE name = 'removals'").run()
  const parts = db.sql('SELECT id, first, last FROM snapshots WHERE first IS NOT NULL').all()
  if (parts.length === 0) return
  const seqs = transactionsOf(db, ids, heads)
  for (const { id, first, last } of parts) {
    const holds = seqs.some((seq) => seq >= (first as number) && seq <= (last as number))
    if (holds) db.sql('DELETE FROM snapshots WHERE id = ?').run(id as number)
  }
}

/** Snapshots made of former analyses are of no use. */
export function dropSnapshots(db: Connection): void {
  db.sql("UPDATE meta SET value = value + 1 WHERE name = 'analysed'").run()
  db.sql('DELETE FROM snapshots').run()
}
