import { erasedId, type Transaction } from '../../../contract/index.ts'
import { scopeKey } from '../../../model/index.ts'
import { claimValues, heldBy } from '../claims.ts'
import type { Query } from '../database.ts'
import type { Row } from '../driver.ts'
import { transactionLock } from '../land.ts'
import { identityColumns, refuseOther } from '../made-anew.ts'
import { decodeName, digestOf, encodeName, lockNumber } from '../names.ts'
import type { Session } from '../session.ts'
import { floor } from '../whole-number.ts'
import type { Needs } from './needs.ts'

/** What is known of an id. */
export interface Head {
  readonly owner: number
  readonly ownerKey: string
  readonly scope: number
  readonly scopeKey: string
  readonly num: number
  /** The last one, that of a tombstone too. */
  readonly version: number
  /** Epoch milliseconds; null for a tombstone. */
  readonly createdAt: number | null
  /** Of the record; empty for a tombstone. */
  readonly kind: string
}

export interface Owner {
  readonly id: number
  readonly lastAt: number
  readonly journalSeq: number
  readonly journalDigest: string
}

export interface KnownLink {
  readonly from: string
  readonly to: string
  readonly type: string
  /** Weight and metadata as JSON. */
  readonly body: string
}

/** The state that a transaction meets, read under its locks. */
export interface Known {
  readonly isUsed: boolean
  readonly usedKey: { readonly tx: string; readonly at: number; readonly digest: string } | null
  readonly heads: ReadonlyMap<string, Head>
  /** By owner key. */
  readonly owners: ReadonlyMap<string, Owner>
  /** By scope key. */
  readonly scopes: ReadonlyMap<string, number>
  /** Who holds each claim, in order. */
  readonly holders: readonly (string | null)[]
  /** By `linkDigest`. */
  readonly links: ReadonlyMap<string, KnownLink>
  /** Last versions by the hash of an erased id. */
  readonly erased: ReadonlyMap<string, number>
  /** True when every owner that is written or judged is locked. */
  readonly isLocked: boolean
}

/** Names a link in a table's key. */
export function linkDigest({
  from,
  to,
  type,
}: {
  readonly from: string
  readonly to: string
  readonly type: string
}): Buffer {
  return digestOf(JSON.stringify([from, to, type]))
}

const takeLocks = `SELECT number, pg_advisory_xact_lock(number), ${identityColumns} FROM (
    SELECT number FROM unnest($1::bigint[]) number
    UNION SELECT o.lock FROM {ids} i JOIN {owners} o ON o.id = i.owner WHERE i.id = ANY($2::text[])
    ORDER BY 1 OFFSET 0) wanted`

const headsText = `SELECT i.id, i.num, i.owner, o.key AS owner_key, o.lock, i.scope, s.key AS scope_key, r.created_at, r.kind,
    coalesce(r.version, (SELECT max(v.version) FROM {revisions} v WHERE v.owner = i.owner AND v.id = i.id)) AS version
  FROM {ids} i JOIN {scopes} s ON s.id = i.scope JOIN {owners} o ON o.id = i.owner
  LEFT JOIN {records} r ON r.owner = i.owner AND r.id = i.id
  WHERE i.id = ANY($1::text[])`

const ownersText = `SELECT id, key, last_at, journal_seq, journal_digest FROM {owners} WHERE digest = ANY($1::bytea[])
  UNION SELECT id, key, last_at, journal_seq, journal_digest FROM {owners} WHERE id IN (SELECT owner FROM {ids} WHERE id = ANY($2::text[]))`

const usedKeyText =
  'SELECT u.tx, u.at, u.digest FROM {scopes} s JOIN {used_keys} u ON u.owner = s.owner AND u.scope = s.id WHERE s.digest = $1 AND u.key = $2 AND u.expires_at > $3'

/** The unexpired use of an idempotency key. */
export async function findUsedKey(
  query: Query,
  { scope, key }: Pick<NonNullable<Transaction['idempotency']>, 'scope' | 'key'>,
  now: number,
): Promise<Known['usedKey']> {
  const [row] = await query(usedKeyText, [digestOf(scopeKey(scope)), digestOf(JSON.stringify(key)), floor(now)])
  return row === undefined
    ? null
    : { tx: decodeName(row.tx as string), at: row.at as number, digest: JSON.parse(row.digest as string) as string }
}

const none: Promise<readonly Row[]> = Promise.resolve([])

/** Begins with the locks: of the store, shared, then of the transaction's id and of all owners, in ascending order. */
export async function lockAndRead(
  query: Query,
  session: Session,
  { id, at, idempotency }: Pick<Transaction, 'id' | 'at' | 'idempotency'>,
  needs: Needs,
): Promise<Known> {
  const { salt, storeLock } = session
  const ids = needs.ids.map(encodeName)
  const hashes = needs.puts.map((put) => encodeName(erasedId(salt, put)))
  const owners = [...needs.owners]
  const numbers = [transactionLock(session, id), ...owners.map((key) => lockNumber(session.identity, key))]
  const { claims, links } = needs
  const [, locked, [used], usedKey, heads, ownerRows, scopeRows, held, linkRows, erased] = await Promise.all([
    query('SELECT pg_advisory_xact_lock_shared($1)', [storeLock]),
    query(takeLocks, [numbers, ids]),
    query('SELECT 1 FROM {transactions} WHERE id = $1 LIMIT 1', [encodeName(id)]),
    idempotency ? findUsedKey(query, idempotency, at) : null,
    ids.length === 0 ? none : query(headsText, [ids]),
    query(ownersText, [owners.map(digestOf), ids]),
    query('SELECT id, key FROM {scopes} WHERE digest = ANY($1::bytea[])', [[...needs.scopes.keys()].map(digestOf)]),
    claims.length === 0 ? none : query(`SELECT c.n, r.id FROM ${heldBy(claims)}`, claimValues(claims)),
    links.length === 0
      ? none
      : query(
          'SELECT digest, from_id, to_id, type, body FROM {links} WHERE from_id = ANY($1::text[]) AND digest = ANY($2::bytea[])',
          [links.map(({ from }) => encodeName(from)), links.map(linkDigest)],
        ),
    hashes.length === 0
      ? none
      : query(
          'SELECT id, max(version) AS version FROM {revisions} WHERE owner = 0 AND id = ANY($1::text[]) GROUP BY id',
          [hashes],
        ),
  ])
  refuseOther(session, locked[0])
  const isTaken = new Set(locked.map(({ number }) => number))
  const holders = claims.map((): string | null => null)
  for (const row of held) holders[(row.n as number) - 1] = decodeName(row.id as string)
  return {
    isUsed: used !== undefined,
    usedKey,
    heads: new Map(heads.map((row) => [decodeName(row.id as string), headOf(row)])),
    owners: new Map(ownerRows.map((row) => [row.key as string, ownerOf(row)])),
    scopes: new Map(scopeRows.map((row) => [row.key as string, row.id as number])),
    holders,
    links: new Map(linkRows.map((row) => [(row.digest as Buffer).toString('hex'), linkOf(row)])),
    erased: new Map(erased.map((row) => [row.id as string, row.version as number])),
    isLocked: heads.every(({ lock }) => isTaken.has(lock)),
  }
}

function headOf(row: Row): Head {
  return {
    owner: row.owner as number,
    ownerKey: row.owner_key as string,
    scope: row.scope as number,
    scopeKey: row.scope_key as string,
    num: row.num as number,
    version: row.version as number,
    createdAt: row.created_at as number | null,
    kind: row.kind === null ? '' : decodeName(row.kind as string),
  }
}

function ownerOf(row: Row): Owner {
  return {
    id: row.id as number,
    lastAt: row.last_at as number,
    journalSeq: row.journal_seq as number,
    journalDigest: row.journal_digest as string,
  }
}

function linkOf(row: Row): KnownLink {
  return {
    from: decodeName(row.from_id as string),
    to: decodeName(row.to_id as string),
    type: JSON.parse(row.type as string) as string,
    body: row.body as string,
  }
}
