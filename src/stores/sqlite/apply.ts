import { type JournalLine, journalDigest, type StoreChange, stampRecord } from '../../contract/index.ts'
import {
  formatInstant,
  type Link,
  type MemoryRecord,
  momentOf,
  ownerKey,
  scopeFromKey,
  scopeKey,
} from '../../model/index.ts'
import { toFloatBytes } from '../../vector/index.ts'
import { encodeFacts, encodeTerms, encodeTokens, hashCode } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import type { Heads } from './heads.ts'
import type { Known } from './known.ts'
import { type Remove, removeAll } from './remove.ts'
import { changeRow, transactionRow } from './schema.ts'
import type { Work } from './work.ts'

type Change<T extends StoreChange['type']> = Extract<StoreChange, { readonly type: T }>

/** The transaction that is being written. */
export interface Context {
  readonly db: Connection
  readonly known: Known
  readonly heads: Heads
  readonly tx: string
  readonly seq: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** Ids of other records that a record names; an erase has to find them. */
export function mentionsOf(record: Pick<MemoryRecord, 'supersedes' | 'supersededBy' | 'source'>): Set<string> {
  const { supersedes, supersededBy, source } = record
  return new Set([supersedes, supersededBy, ...(source.from ?? [])].filter((id) => id !== undefined))
}

function milliseconds(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time)
}

function writeRevision(
  { db, known }: Context,
  rev: number,
  record: MemoryRecord,
  scope: number,
  created: number,
  { op, hash, analysis, vector }: Change<'put'>,
): number | null {
  const json = JSON.stringify(record)
  const terms = encodeTerms(analysis.terms)
  const space = vector === null ? null : known.space(vector.space, vector.values.length)
  db.sql(
    'INSERT INTO log (rev, id, version, gone, scope, created_at, kind, op, hash, hash_code, analyser, space, facts, record, terms, tokens, vector) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  ).run(
    rev,
    record.id,
    record.version,
    scope,
    created,
    record.kind,
    op,
    hash,
    hash === null ? null : hashCode(hash),
    known.analyser(analysis.analyser),
    space,
    encodeFacts(json, terms, analysis.shape),
    json,
    terms,
    encodeTokens(analysis.tokens),
    vector === null ? null : toFloatBytes(vector.values),
  )
  for (const id of mentionsOf(record)) db.sql('INSERT INTO mentions (rev, id) VALUES (?, ?)').run(rev, id)
  return space
}

const columns =
  'rev = ?, version = ?, scope = ?, kind = ?, status = ?, key = ?, created_at = ?, updated_at = ?, event_at = ?, expires_at = ?, importance = ?, space = ?, access_count = ?, last_accessed_at = ?'
const columnNames = columns.replaceAll(' = ?', '')
const ofRecord = 'id = ? AND scope = ? AND created_at = ?'
const update = `UPDATE records SET ${columns} WHERE ${ofRecord}`
const insert = `INSERT INTO records (${columnNames}, id) VALUES (${columns.replaceAll(/\w+ = \?/g, '?')}, ?)`

/** Only current revisions are found by their content. */
function forgetHash(db: Connection, place: readonly [string, number, number]): void {
  db.sql(
    `UPDATE log SET hash_code = -hash_code WHERE rev = (SELECT rev FROM records WHERE ${ofRecord}) AND hash_code > 0`,
  ).run(...place)
}

function put(context: Context, change: Change<'put'>, rev: number): MemoryRecord {
  const { db, heads, known, at } = context
  const { id, kind } = change.record
  const head = heads.get(id)
  const createdAt = head?.present ? head.createdAt : null
  const record = stampRecord(change.record, {
    lastVersion: head?.version ?? heads.erasedVersion(id),
    createdAt: createdAt === null ? null : formatInstant(createdAt),
    at,
  })
  const key = scopeKey(record.scope)
  const scope = known.scope(record.scope, key)
  const created = Date.parse(record.createdAt)
  const place = createdAt === null ? null : ([id, scope, createdAt] as const)
  if (place !== null) forgetHash(db, place)
  const space = writeRevision(context, rev, record, scope, created, change)
  db.sql(place === null ? insert : update).run(
    rev,
    record.version,
    scope,
    kind,
    record.status,
    record.key ?? null,
    created,
    Date.parse(record.updatedAt),
    momentOf(record),
    milliseconds(record.expiresAt),
    record.importance,
    space,
    record.accessCount,
    record.lastAccessedAt ?? null,
    ...(place ?? [id]),
  )
  heads.set(id, { rev, version: record.version, scopeKey: key, createdAt: created, present: true })
  return record
}

/** Link types and what hangs on a link are free text, hence JSON. */
function encodeLink({ type, weight, metadata }: Pick<Link, 'type' | 'weight' | 'metadata'>) {
  return { type: JSON.stringify(type), body: JSON.stringify({ weight, metadata }) }
}

function scopeOf({ heads, known }: Context, id: string): number {
  const key = heads.get(id)?.scopeKey as string
  return known.scope(scopeFromKey(key), key)
}

interface LoggedLink {
  readonly from: string
  readonly to: string
  readonly type: string
  /** Null when the link was cut. */
  readonly body: string | null
  /** What it was before. */
  readonly previous: string | null
}

function logLink(context: Context, number: number, { from, to, type, body, previous }: LoggedLink): void {
  context.db
    .sql('INSERT INTO link_log (change, from_id, to_id, type, body, previous, scope) VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(number, from, to, type, body, previous, scopeOf(context, from))
}

function linkBody(db: Connection, from: string, to: string, type: string): string | null {
  const body = readValue(db, 'SELECT body FROM links WHERE from_id = ? AND to_id = ? AND type = ?', from, to, type)
  return body as string | null
}

function link(context: Context, { link }: Change<'link'>, number: number): void {
  const { from, to } = link
  const { type, body } = encodeLink(link)
  const previous = linkBody(context.db, from, to, type)
  context.db
    .sql('INSERT OR REPLACE INTO links (from_id, to_id, type, body) VALUES (?, ?, ?, ?)')
    .run(from, to, type, body)
  logLink(context, number, { from, to, type, body, previous })
}

function unlink(context: Context, { from, to, linkType }: Change<'unlink'>, number: number): void {
  const type = JSON.stringify(linkType)
  const previous = linkBody(context.db, from, to, type)
  if (previous === null) return
  context.db.sql('DELETE FROM links WHERE from_id = ? AND to_id = ? AND type = ?').run(from, to, type)
  logLink(context, number, { from, to, type, body: null, previous })
}

function writeJournal({ db, known, at, tx, seq: transaction }: Context, line: JournalLine): void {
  const key = ownerKey(line.scope)
  const { id: owner, chainEnd } = known.owner(key)
  const seq = chainEnd.seq + 1
  const digest = journalDigest(chainEnd.digest, { at, tx, seq, ...line })
  const { op, verb, actor, reason, ids } = line
  db.sql('INSERT INTO journal (owner, seq, tx, at, scope, line, ids, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
    owner,
    seq,
    transactionRow(transaction),
    at,
    known.scope(line.scope),
    JSON.stringify({ op, verb, actor, reason }),
    JSON.stringify(ids),
    digest,
  )
  known.setChainEnd(key, { seq, digest })
}

/** Removes in a row are carried out together, so many at most. */
const maxRemoves = 256

/** Applies checked changes in order. @returns the records of the puts */
export function* applyChanges(context: Context, changes: readonly StoreChange[]): Work<MemoryRecord[]> {
  const records: MemoryRecord[] = []
  let removes: Remove[] = []
  for (const [place, change] of changes.entries()) {
    if (change.type === 'remove') {
      removes.push(change)
      const next = changes[place + 1]
      if (next?.type === 'remove' && next.op === change.op && removes.length < maxRemoves) continue
      removeAll(context.db, context.heads, removes, changeRow(context.seq, place + 1 - removes.length))
      removes = []
    } else {
      const number = changeRow(context.seq, place)
      if (change.type === 'put') records.push(put(context, change, number))
      else if (change.type === 'link') link(context, change, number)
      else if (change.type === 'unlink') unlink(context, change, number)
      else writeJournal(context, change.line)
    }
    yield
  }
  return records
}
