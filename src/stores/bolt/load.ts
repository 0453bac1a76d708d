import { erasedId, type Precondition, type Transaction } from '../../contract/index.ts'
import { type Link, ownerKey, type Scope, scopeFromKey, scopeKey } from '../../model/index.ts'
import { decodeJson } from './codec.ts'
import { type Row, type Run, StartOver } from './connection.ts'
import { lock, ownersNamed, type Session } from './session.ts'
import { claimId, token } from './tokens.ts'

/** All that is known of an id. */
export interface Head {
  readonly id: string
  readonly owner: string
  readonly scope: Scope
  readonly kind: string
  /** The last one, of a tombstone too. */
  readonly version: number
  readonly present: boolean
  /** `createdAt` of the record that is there. */
  readonly born: string | null
}

/** An owner whose lock is held. */
export interface Owner {
  readonly uid: string
  readonly lastAt: number | null
  readonly seq: number
  readonly digest: string
  readonly tick: number
}

export interface Loaded {
  readonly owners: ReadonlyMap<string, Owner>
  readonly heads: ReadonlyMap<string, Head>
  /** Last versions of erased ids. */
  readonly erased: ReadonlyMap<string, number>
  readonly used: {
    readonly tx: string
    readonly at: number
    readonly digest: string
    readonly expiresAt: number
  } | null
  /** The transaction's id is taken. */
  readonly taken: boolean
  /** Ids of the oldest holders, by claim. */
  readonly holders: ReadonlyMap<string, string>
  /** By `linkName`. */
  readonly links: ReadonlyMap<string, Link>
  /** Microseconds. */
  readonly clock: number
}

/** Owner of transactions that touch nobody's data. */
export const nobody: Scope = {}

export function linkName(from: string, to: string, type: string): string {
  return JSON.stringify([from, to, type])
}

/** Ids that a transaction names. */
function idsNamed({ changes, requires }: Transaction): string[] {
  const ids = changes.flatMap((change) => {
    if (change.type === 'put') return [change.record.id]
    if (change.type === 'remove') return [change.id]
    if (change.type === 'link') return [change.link.from, change.link.to]
    return change.type === 'unlink' ? [change.from, change.to] : []
  })
  return [...new Set([...ids, ...requires.flatMap((each) => (each.type === 'version' ? [each.id] : []))])]
}

/** Owners that a transaction names; those of ids that it removes or links come to light on reading. */
export function ownersOfTransaction({ changes, requires, idempotency }: Transaction, { partition }: Session): string[] {
  const scopes = changes.flatMap((change) => {
    if (change.type === 'put') return [change.record.scope]
    return change.type === 'journal' ? [change.line.scope] : []
  })
  scopes.push(...requires.flatMap((each) => (each.type === 'version' ? [] : [each.scope])))
  if (idempotency) scopes.push(idempotency.scope)
  if (scopes.length === 0) scopes.push(nobody)
  return [...new Set(scopes.map((scope) => partition.uid(ownerKey(scope))))]
}

export function claimOf(session: Session, required: Exclude<Precondition, { type: 'version' }>): string {
  const { scope, kind } = required
  return required.type === 'noKey'
    ? claimId(session.partition, 'key', scope, kind, required.key)
    : claimId(session.partition, 'content', scope, kind, required.hash)
}

function claimsOf(session: Session, { requires }: Transaction, type: 'noKey' | 'noContent'): string[] {
  return requires.flatMap((each) => (each.type === type ? [claimOf(session, each)] : []))
}

function linksNamed({ changes }: Transaction): (readonly [from: string, to: string, type: string])[] {
  return changes.flatMap((change) => {
    if (change.type === 'link') return [[change.link.from, change.link.to, change.link.type] as const]
    return change.type === 'unlink' ? [[change.from, change.to, change.linkType] as const] : []
  })
}

export function readOwner(row: Row): Owner {
  return {
    uid: row.uid as string,
    lastAt: row.lastAt as number | null,
    seq: (row.seq as number | null) ?? 0,
    digest: (row.digest as string | null) ?? '',
    tick: (row.tick as number | null) ?? 0,
  }
}

/** What `readOwner` reads of `o`. */
export const ownerColumns = 'o.uid AS uid, o.lastAt AS lastAt, o.seq AS seq, o.digest AS digest, o.tick AS tick'

const headQuery = `UNWIND $uids AS uid MATCH (m:MnemeId {uid: uid})
RETURN m.id AS id, m.owner AS owner, m.scope AS scope, m.kind AS kind, m.version AS version, m.born AS born, m:Memory AS present`

function readHead(row: Row): Head {
  return {
    id: row.id as string,
    owner: row.owner as string,
    scope: scopeFromKey(row.scope as string),
    kind: row.kind as string,
    version: row.version as number,
    present: row.present as boolean,
    born: row.born as string | null,
  }
}

/**
 * Takes the locks of the owners and reads what the transaction is judged by, all of it in one go.
 * @throws StartOver when an id turns out to be of an owner whose lock is not held; `owners` has grown by then
 */
export async function load(session: Session, run: Run, transaction: Transaction, owners: Set<string>): Promise<Loaded> {
  const { partition, salt, dialect } = session
  const { uid } = partition
  const ids = idsNamed(transaction)
  const named = ownersNamed([...owners])
  const puts = transaction.changes.flatMap((change) => (change.type === 'put' ? [change.record.id] : []))
  const wanted = linksNamed(transaction)
  const ask = (when: boolean, text: string, parameters: Record<string, unknown>) =>
    when ? run(text, parameters) : Promise.resolve([])

  const { idempotency } = transaction
  const answers = await Promise.all([
    run(
      `${named.match} WITH DISTINCT o ORDER BY o.uid ${lock('o')} WITH o, ${dialect.clock.now} AS now RETURN ${ownerColumns}, ${dialect.clock.micros} AS clock`,
      named.parameters,
    ),
    run('OPTIONAL MATCH (t:MnemeTransaction {uid: $uid}) RETURN t IS NOT NULL AS taken', { uid: uid(transaction.id) }),
    ask(ids.length > 0, headQuery, { uids: ids.map(uid) }),
    ask(
      puts.length > 0,
      'UNWIND $uids AS uid MATCH (e:MnemeErased {uid: uid}) RETURN e.hash AS hash, e.version AS version',
      {
        uids: [...new Set(puts)].map((id) => uid(erasedId(salt, id))),
      },
    ),
    ask(
      idempotency !== undefined,
      'MATCH (k:MnemeKey {uid: $uid}) RETURN k.tx AS tx, k.at AS at, k.digest AS digest, k.expiresAt AS expiresAt',
      { uid: idempotency && keyUid(session, idempotency.scope, idempotency.key) },
    ),
    ...(['noKey', 'noContent'] as const).map((type) => {
      const claims = claimsOf(session, transaction, type)
      const property = type === 'noKey' ? 'keyClaim' : 'contentClaim'
      return ask(
        claims.length > 0,
        `UNWIND $claims AS claim MATCH (m:Memory {${property}: claim}) RETURN claim, m.id AS id ORDER BY m.createdAt, m.sort`,
        { claims },
      )
    }),
    ask(
      wanted.length > 0,
      'UNWIND $links AS link MATCH (a:MnemeId {uid: link.a})-[l:LINK {name: link.name}]->(b:MnemeId {uid: link.b}) RETURN l.link AS link',
      { links: wanted.map(([from, to, type]) => ({ a: uid(from), b: uid(to), name: token(type) })) },
    ),
  ])
  const [locked, taken, heads, erased, used, ...held] = answers as [readonly Row[], ...(readonly Row[])[]]
  const links = held.pop() as readonly Row[]
  const loaded: Loaded = {
    owners: new Map(locked.map((row) => [row.uid as string, readOwner(row)])),
    heads: new Map((heads as readonly Row[]).map((row) => [row.id as string, readHead(row)])),
    erased: new Map((erased as readonly Row[]).map((row) => [row.hash as string, row.version as number])),
    used: ((used as readonly Row[])[0] as Loaded['used'] | undefined) ?? null,
    taken: (taken as readonly Row[])[0]?.taken === true,
    holders: new Map(
      held
        .flat()
        .reverse()
        .map((row) => [row.claim as string, row.id as string]),
    ),
    links: new Map(
      links.map((row) => {
        const link = decodeJson<Link>(row.link)
        return [linkName(link.from, link.to, link.type), link]
      }),
    ),
    clock: Math.max(0, ...locked.map(({ clock }) => clock as number)),
  }
  const missing = [...loaded.heads.values()].map(({ owner }) => owner).filter((owner) => !loaded.owners.has(owner))
  for (const owner of missing) owners.add(owner)
  if (missing.length > 0 || loaded.owners.size < owners.size) throw new StartOver()
  return loaded
}

export function keyUid({ partition }: Session, scope: Scope, key: string): string {
  return partition.uid(JSON.stringify([scopeKey(scope), key]))
}
