import { type Call, type Connection, type Parameters, type Row, type Run, StartOver } from './connection.ts'
import type { Dialect } from './dialects.ts'
import type { Partition } from './tokens.ts'
import type { Turns } from './turns.ts'

/** An open store. */
export interface Session {
  readonly connection: Connection
  readonly dialect: Dialect
  readonly partition: Partition
  readonly salt: string
  /** How long a question about health may take, milliseconds. */
  readonly patienceMs: number
  /** Commits of one owner follow each other here already. */
  readonly turns: Turns
  /** The question about health that is on its way. */
  readonly pulse: { asked: Promise<unknown> | null }
  /** Owners who are known to have a node; one that went is found missing under the lock. */
  readonly owners: Set<string>
  /** Vector spaces that are known to be listed. */
  readonly spaces: Set<string>
  /** Lengths of vectors for which an index was asked. */
  readonly indexed: Set<number>
  /** What the server refused and mneme does without, in words. */
  readonly lacks: Set<string>
  /** Work that nobody waits for, but close. */
  readonly background: Set<Promise<unknown>>
}

/** Whose commits a read keeps out: a query for their names, `uid`. */
export interface Owners {
  /** Binds `o` to owners. */
  readonly match: string
  readonly parameters: Parameters
}

export function ownersNamed(uids: readonly string[]): Owners {
  return { match: 'MATCH (o:MnemeOwner) WHERE o.uid IN $lockedOwners', parameters: { lockedOwners: uids } }
}

/** Owners of records. */
export function ownersOf(ids: readonly string[], { uid }: Partition): Owners {
  return {
    match:
      'UNWIND $lockedIds AS lockedId MATCH (i:MnemeId {uid: lockedId}) WITH DISTINCT i.owner AS lockedOwner MATCH (o:MnemeOwner {uid: lockedOwner})',
    parameters: { lockedIds: [...new Set(ids)].map(uid) },
  }
}

/** Taking the lock of a node: the value never changes, so that nothing is written. */
export const lock = (node: string) => `SET ${node}.turn = 0`

/** Always in one order, so that nobody waits for whoever waits for him. */
export function lockOwners({ match }: Owners): string {
  return `${match} WITH DISTINCT o ORDER BY o.uid ${lock('o')} RETURN o.uid AS uid`
}

/**
 * Runs a read that sees each transaction whole. Where statements see whatever was committed by then, the locks of the owners are held
 * meanwhile, which are let go of only when a commit is there to its last part; an owner who came in between starts it over.
 */
export function reading<T>(
  { connection, dialect }: Session,
  call: Call,
  owners: Owners,
  body: (run: Run) => Promise<T>,
): Promise<T> {
  if (!dialect.locksReads) return connection.transact(call, body)
  return connection.transact(call, async (run) => {
    const locked = run(lockOwners(owners), owners.parameters)
    const result = await body(run)
    await nobodyCame(run, owners, locked)
    return result
  })
}

/** The same for a body that sends all its statements before it waits for any: everything is on its way at once. */
export function readingAtOnce<T>(
  { connection, dialect }: Session,
  call: Call,
  owners: Owners,
  body: (run: Run) => Promise<T>,
): Promise<T> {
  if (!dialect.locksReads) return connection.transact(call, body)
  return connection.transact(call, async (run) => {
    const locked = run(lockOwners(owners), owners.parameters)
    const [result] = await Promise.all([body(run), nobodyCame(run, owners, locked)])
    return result
  })
}

async function nobodyCame(run: Run, { match, parameters }: Owners, locked: Promise<readonly Row[]>): Promise<void> {
  const now = await run(`${match} RETURN count(DISTINCT o) AS count`, parameters)
  if (now[0]?.count !== (await locked).length) throw new StartOver()
}
