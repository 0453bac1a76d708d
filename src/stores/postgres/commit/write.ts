import type { Transaction } from '../../../contract/index.ts'
import { type MemoryRecord, momentOf, scopeKey } from '../../../model/index.ts'
import { encodeAnalysis, encodeVector } from '../content.ts'
import type { Query } from '../database.ts'
import type { Row } from '../driver.ts'
import { digestOf, encodeName } from '../names.ts'
import type { Session } from '../session.ts'
import type { Checked } from './check.ts'
import type { Draft, DraftRecord, DraftRevision, Homes } from './draft.ts'

/** Statements of one transaction; they are sent without waiting for each other. */
type Sent = Promise<unknown>[]

/** The place in the log of the transaction that is being written. One parameter: what is added to its number. */
export const currentPlace = (base: string) => `(${base}::bigint + pg_current_xact_id()::text::bigint)`

/** Ids of other records that a record names; an erase has to find them. */
export function mentionsOf(record: Pick<MemoryRecord, 'supersedes' | 'supersededBy' | 'source'>): Set<string> {
  const { supersedes, supersededBy, source } = record
  return new Set([supersedes, supersededBy, ...(source.from ?? [])].filter((id) => id !== undefined))
}

const milliseconds = (time: string | undefined) => (time === undefined ? null : Date.parse(time))

const expiredKeptMilliseconds = 86_400_000

/** What is kept of who did what and why: free text, hence JSON. */
export function encodeHead({ verb, actor, reason }: Pick<Transaction, 'verb' | 'actor' | 'reason'>): string {
  return JSON.stringify({ verb, actor, reason })
}

/** Adds a transaction to the log and sets the clocks of its owners. @param owner whose row it is, 0 for nobody's */
export function appendTransaction(
  query: Query,
  { base }: Session,
  { id, verb, actor, reason, result }: Pick<Transaction, 'id' | 'verb' | 'actor' | 'reason' | 'result'>,
  { owner, at }: { readonly owner: number; readonly at: number },
): Promise<readonly Row[]> {
  return query(
    `INSERT INTO {transactions} (owner, place, id, at, head, result) VALUES ($1, ${currentPlace('$2')}, $3, $4, $5, $6)`,
    [
      owner,
      base,
      encodeName(id),
      at,
      encodeHead({ verb, actor, reason }),
      result === undefined ? null : JSON.stringify(result),
    ],
  )
}

/** Empties the past of removed records and takes their links away, out of the log too. */
function writeRemovals(query: Query, removed: Draft['removed'], sent: Sent): void {
  if (removed.length === 0) return
  const owners = removed.map(({ owner }) => owner)
  const ids = removed.map(({ id }) => encodeName(id))
  const of = 'FROM unnest($1::bigint[], $2::text[]) x(owner, id) WHERE t.owner = x.owner AND t.id = x.id'
  const from = of.replace('FROM', 'USING')
  sent.push(
    query('DELETE FROM {links} WHERE from_id = ANY($1::text[]) OR to_id = ANY($1::text[])', [ids]),
    query('DELETE FROM {link_log} WHERE from_id = ANY($1::text[]) OR to_id = ANY($1::text[])', [ids]),
    query(
      `UPDATE {revisions} t SET record = NULL, analysis = NULL, analyser = NULL, hash = NULL ${of} AND record IS NOT NULL`,
      [owners, ids],
    ),
    query(`DELETE FROM {vectors} t ${from}`, [owners, ids]),
    query(`DELETE FROM {mentions} t ${from}`, [owners, ids]),
    query(`DELETE FROM {records} t ${from}`, [owners, ids]),
  )
}

function revisionRow({ id, owner, scope, version, number, op, kind, isPut, content }: DraftRevision, session: Session) {
  const row = { owner, id: encodeName(id), version, number, op, kind: encodeName(kind), scope, gone: !isPut }
  if (content === null) return row
  const { hash, analysis } = content.put
  return {
    ...row,
    hash: hash === null ? null : encodeName(hash),
    record: JSON.stringify(content.record),
    analyser: session.numbers.analyser(analysis.analyser),
    analysis: encodeAnalysis(analysis),
  }
}

function writeRevisions(query: Query, session: Session, draft: Draft, tx: string, at: number, sent: Sent): void {
  const { revisions } = draft
  if (revisions.length === 0) return
  sent.push(
    query(
      `INSERT INTO {revisions} (owner, id, version, place, number, tx, at, op, kind, scope, gone, hash, record, analyser, analysis)
       SELECT owner, id, version, ${currentPlace('$2')}, number, $3, $4, op, kind, scope, gone, hash, record, analyser, analysis
       FROM json_to_recordset($1) AS x(owner bigint, id text, version bigint, number integer, op text, kind text, scope bigint,
         gone boolean, hash text, record text, analyser integer, analysis text)`,
      [JSON.stringify(revisions.map((revision) => revisionRow(revision, session))), session.base, encodeName(tx), at],
    ),
  )
  const mentions = revisions.flatMap(({ owner, id, version, content }) =>
    content === null
      ? []
      : [...mentionsOf(content.record)].map((mentioned) => ({
          owner,
          id: encodeName(id),
          version,
          mentioned: encodeName(mentioned),
        })),
  )
  if (mentions.length === 0) return
  sent.push(
    query(
      'INSERT INTO {mentions} (owner, id, version, mentioned) SELECT owner, id, version, mentioned FROM json_to_recordset($1) AS x(owner bigint, id text, version bigint, mentioned text)',
      [JSON.stringify(mentions)],
    ),
  )
}

/** Vectors travel as one run of bytes, of which each takes its part. */
function writeVectors(query: Query, session: Session, { revisions }: Draft, sent: Sent): void {
  const bytes: Buffer[] = []
  let start = 1
  const rows = revisions.flatMap(({ owner, id, version, content }) => {
    const vector = content?.put.vector ?? null
    if (vector === null) return []
    const value = encodeVector(vector.values)
    bytes.push(value)
    const space = session.numbers.space(vector.space, vector.values.length)
    const row = { owner, id: encodeName(id), version, space, start, length: value.length }
    start += value.length
    return [row]
  })
  if (rows.length === 0) return
  sent.push(
    query(
      `INSERT INTO {vectors} (owner, id, version, space, value)
       SELECT owner, id, version, space, substr($2::bytea, start, length)
       FROM json_to_recordset($1) AS x(owner bigint, id text, version bigint, space integer, start integer, length integer)`,
      [JSON.stringify(rows), Buffer.concat(bytes)],
    ),
  )
}

function recordRow({ id, owner, scope, num, version, kind, content }: DraftRecord, session: Session) {
  const row = { owner, id: encodeName(id), num, scope, version, kind: encodeName(kind), present: content !== null }
  if (content === null) return row
  const { record, put } = content
  const { vector, hash, analysis } = put
  return {
    ...row,
    status: record.status,
    key: record.key === undefined ? null : encodeName(record.key),
    hash: hash === null ? null : encodeName(hash),
    created_at: Date.parse(record.createdAt),
    updated_at: Date.parse(record.updatedAt),
    event_at: momentOf(record),
    valid_from: milliseconds(record.validFrom),
    valid_to: milliseconds(record.validTo),
    expires_at: milliseconds(record.expiresAt),
    importance: record.importance,
    pinned: record.pinned,
    searched: analysis.terms.length > 0,
    space: vector === null ? null : session.numbers.space(vector.space, vector.values.length),
    access_count: record.accessCount,
    last_accessed_at: milliseconds(record.lastAccessedAt),
  }
}

const columnTypes = {
  owner: 'bigint',
  id: 'text',
  scope: 'bigint',
  version: 'bigint',
  kind: 'text',
  status: 'text',
  key: 'text',
  hash: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
  event_at: 'bigint',
  valid_from: 'bigint',
  valid_to: 'bigint',
  expires_at: 'bigint',
  importance: 'double precision',
  pinned: 'boolean',
  searched: 'boolean',
  space: 'integer',
  access_count: 'bigint',
  last_accessed_at: 'bigint',
} as const
const columns = Object.keys(columnTypes)
const typedColumns = Object.entries(columnTypes).map(([name, type]) => `${name} ${type}`)

const putRecords = `WITH given AS (
    SELECT * FROM json_to_recordset($1) AS x(num bigint, present boolean, ${typedColumns.join(', ')})
  ), made AS (
    INSERT INTO {ids} (id, num, owner, scope)
    SELECT id, nextval('{record_numbers}'), owner, scope FROM given WHERE num IS NULL
    RETURNING id, num
  )
  INSERT INTO {records} (num, ${columns.join(', ')})
  SELECT coalesce(given.num, made.num), ${columns.map((column) => `given.${column}`).join(', ')}
  FROM given LEFT JOIN made USING (id) WHERE present
  ON CONFLICT (owner, id) DO UPDATE SET ${columns
    .filter((column) => column !== 'owner' && column !== 'id')
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`

function writeRecords(query: Query, session: Session, { records }: Draft, sent: Sent): void {
  // One that was removed is gone already, unless it is new.
  const rows = records.filter(({ num, content }) => num === null || content !== null)
  if (rows.length === 0) return
  sent.push(query(putRecords, [JSON.stringify(rows.map((record) => recordRow(record, session)))]))
}

function linkRow({ owner, scope, digest, from, to, type, toScope, body }: Draft['links'][number]) {
  return {
    owner,
    digest: digest.toString('hex'),
    from_id: encodeName(from),
    to_id: encodeName(to),
    from_scope: scope,
    to_scope: toScope,
    type: JSON.stringify(type),
    body,
  }
}

function writeLinks(query: Query, session: Session, { links, linkLog }: Draft, at: number, sent: Sent): void {
  if (links.length === 0) return
  const cut = links.filter(({ body }) => body === null)
  const kept = links.filter(({ body }) => body !== null)
  if (cut.length > 0) {
    sent.push(
      query(
        'DELETE FROM {links} l USING unnest($1::bigint[], $2::bytea[]) x(owner, digest) WHERE l.owner = x.owner AND l.digest = x.digest',
        [cut.map(({ owner }) => owner), cut.map(({ digest }) => digest)],
      ),
    )
  }
  if (kept.length > 0) {
    sent.push(
      query(
        `INSERT INTO {links} (owner, digest, from_id, to_id, from_scope, to_scope, type, body)
         SELECT owner, decode(digest, 'hex'), from_id, to_id, from_scope, to_scope, type, body
         FROM json_to_recordset($1) AS x(owner bigint, digest text, from_id text, to_id text, from_scope bigint, to_scope bigint, type text, body text)
         ON CONFLICT (owner, digest) DO UPDATE SET body = excluded.body`,
        [JSON.stringify(kept.map(linkRow))],
      ),
    )
  }
  if (linkLog.length === 0) return
  const rows = linkLog.map((change) => ({ ...linkRow(change), number: change.number, previous: change.previous }))
  sent.push(
    query(
      `INSERT INTO {link_log} (owner, place, number, at, digest, from_id, to_id, type, body, previous, scope)
       SELECT owner, ${currentPlace('$2')}, number, $3, decode(digest, 'hex'), from_id, to_id, type, body, previous, from_scope
       FROM json_to_recordset($1) AS x(owner bigint, number integer, digest text, from_id text, to_id text, type text, body text, previous text, from_scope bigint)`,
      [JSON.stringify(rows), session.base, at],
    ),
  )
}

function writeJournal(query: Query, session: Session, { journal }: Draft, tx: string, at: number, sent: Sent): void {
  if (journal.length === 0) return
  const rows = journal.map(({ owner, scope, seq, digest, line: { op, verb, actor, reason, ids } }) => ({
    owner,
    seq,
    scope,
    line: JSON.stringify({ op, verb, actor, reason }),
    ids: JSON.stringify(ids),
    digest,
  }))
  sent.push(
    query(
      `INSERT INTO {journal} (owner, seq, place, tx, at, scope, line, ids, digest)
       SELECT owner, seq, ${currentPlace('$2')}, $3, $4, scope, line, ids, digest
       FROM json_to_recordset($1) AS x(owner bigint, seq bigint, scope bigint, line text, ids text, digest text)`,
      [JSON.stringify(rows), session.base, encodeName(tx), at],
    ),
  )
}

/** Clocks of the owners, and the ends of the chains that grew. */
export function updateOwners(
  query: Query,
  owners: readonly number[],
  at: number | null,
  chains: Draft['chains'] = new Map(),
): Promise<readonly Row[]> {
  const rows = owners.map((id) => ({ id, ...chains.get(id) }))
  return query(
    `UPDATE {owners} o SET last_at = coalesce($2::bigint, o.last_at), journal_seq = coalesce(x.seq, o.journal_seq), journal_digest = coalesce(x.digest, o.journal_digest)
     FROM json_to_recordset($1) AS x(id bigint, seq bigint, digest text) WHERE o.id = x.id`,
    [JSON.stringify(rows), at],
  )
}

/** Expired keys stay for a day, so that a clock that was put right does not bring a forgotten one back to use. */
function keepKey(
  query: Query,
  session: Session,
  { id, idempotency }: Transaction,
  homes: Homes,
  at: number,
  owner: number,
  sent: Sent,
): void {
  if (!idempotency) return
  const { scope, key, digest, expiresAt } = idempotency
  sent.push(
    query('DELETE FROM {used_keys} WHERE owner = $1 AND expires_at <= $2', [owner, at - expiredKeptMilliseconds]),
    query(
      `INSERT INTO {used_keys} (owner, scope, key, digest, expires_at, place, tx, at) VALUES ($1, $2, $3, $4, $5, ${currentPlace('$6')}, $7, $8)
       ON CONFLICT (owner, scope, key) DO UPDATE SET digest = excluded.digest, expires_at = excluded.expires_at, place = excluded.place, tx = excluded.tx, at = excluded.at`,
      [
        owner,
        homes.scope(scopeKey(scope)),
        digestOf(JSON.stringify(key)),
        JSON.stringify(digest),
        expiresAt,
        session.base,
        encodeName(id),
        at,
      ],
    ),
  )
}

/** Sends everything that a transaction writes, in an order in which each statement finds what it needs. */
export function write(
  query: Query,
  session: Session,
  transaction: Transaction,
  { owners, at }: Checked,
  draft: Draft,
  homes: Homes,
): Sent {
  const { id, idempotency, gone } = transaction
  const numbers = [...owners].map(homes.owner)
  const sent: Sent = []
  writeRemovals(query, draft.removed, sent)
  if (!gone) sent.push(appendTransaction(query, session, transaction, { owner: numbers[0] ?? 0, at }))
  writeRevisions(query, session, draft, id, at, sent)
  writeVectors(query, session, draft, sent)
  writeRecords(query, session, draft, sent)
  writeLinks(query, session, draft, at, sent)
  writeJournal(query, session, draft, id, at, sent)
  // No clock has moved by what is gone.
  if (numbers.length > 0) sent.push(updateOwners(query, numbers, gone ? null : at, draft.chains))
  if (idempotency) keepKey(query, session, transaction, homes, at, numbers[0] ?? 0, sent)
  return sent
}
