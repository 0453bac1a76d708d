import { randomBytes } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { Reply } from './driver.ts'
import type { Keys } from './keys.ts'
import { command, evict, hold, lease, readEpoch, type Script, settle } from './scripts.ts'

/**
 * Which entries count. An entry is kept under a lease: the run of the server, the epoch and a generation of its id. The pointer of an id names the
 * present generation and the owner whose keys hold the entry; an entry under another lease is as good as not there. All three are
 * random: what was evicted, or came back with an old copy of the data after a restart, is never the same again.
 */
export interface Pointer {
  /** The lease of who asks now; empty when nothing can be filled. */
  readonly lease: string
  /** Empty when no entry was put since the pointer was made. */
  readonly owner: string
}

export interface Claim {
  readonly id: string
  /** As given by the caller; absent for a put without one. */
  readonly lease: string | undefined
  /** Empty: gives the lease back unused. */
  readonly owner: string
  /** How long the pointer is to live, milliseconds. */
  readonly ttlMs: number
}

/** Most pointers of one call of a script: a server does nothing else meanwhile. */
const most = 200

function fresh(kind: 'r' | 'w'): string {
  return kind + randomBytes(9).toString('base64url')
}

function chunks<T>(items: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}

/** Milliseconds. */
interface Times {
  readonly leaseMs: number
  readonly ttlMs: number
}

/** @param size pointers that can go together: one in a cluster, where each lies on a node of its own */
export function makePointers(connection: Connection, keys: Keys, size: number, { leaseMs, ttlMs }: Times) {
  /** Run and epoch, the beginning of every lease; null when a full server has no room for one. */
  async function epoch(operation: string): Promise<string | null> {
    const made = randomBytes(9).toString('base64url')
    const run = await connection.run()
    const [present] = await connection.all(operation, [
      command({ script: readEpoch, keys: [keys.epoch], args: [made] }),
    ])
    const text = String(present)
    return text === '' ? null : `${run}/${text}/`
  }

  async function each(
    operation: string,
    script: Script,
    ids: readonly string[],
    first: readonly string[],
    argsOf: (i: number) => readonly string[],
  ): Promise<readonly Reply[]> {
    const calls = chunks(
      ids.map((_, i) => i),
      size,
    ).map((part) =>
      command({
        script,
        keys: part.map((i) => keys.pointer(ids[i] as string)),
        args: [...first, ...part.flatMap(argsOf)],
      }),
    )
    return (await connection.all(operation, calls)).flatMap((reply) => reply as readonly Reply[])
  }

  return {
    epoch,

    /** The pointers of the ids, made where there are none. */
    async read(operation: string, ids: readonly string[]): Promise<readonly Pointer[]> {
      const [prefix, flat] = await Promise.all([
        epoch(operation),
        each(operation, lease, ids, [String(leaseMs)], () => [fresh('r')]),
      ])
      return ids.map((_, i) => {
        const gen = String(flat[2 * i])
        return { lease: prefix === null || gen === '' ? '' : prefix + gen, owner: String(flat[2 * i + 1]) }
      })
    },

    /** The present leases of the ids, without making any; empty where nothing counts. */
    async peek(operation: string, ids: readonly string[]): Promise<readonly string[]> {
      const [prefix, found] = await Promise.all([
        epoch(operation),
        connection.all(
          operation,
          ids.map((id) => ({ key: keys.pointer(id), args: ['HMGET', keys.pointer(id), 'gen', 'busy'] })),
        ),
      ])
      return found.map((reply) => {
        const [gen, busy] = reply as readonly Reply[]
        return prefix === null || gen === null || busy !== null ? '' : prefix + String(gen)
      })
    },

    /** The writer's leases, empty where the server has no room. */
    async hold(ids: readonly string[]): Promise<readonly string[]> {
      const [prefix, tokens] = await Promise.all([
        epoch('hold'),
        each('hold', hold, ids, [String(leaseMs), String(leaseMs + ttlMs)], () => [fresh('w')]),
      ])
      return tokens.map((token) => (prefix === null || String(token) === '' ? '' : prefix + String(token)))
    },

    /** The leases under which entries may be put, in order; empty where the given one does not hold. */
    async settle(operation: string, claims: readonly Claim[]): Promise<readonly string[]> {
      const prefix = await epoch(operation)
      const ttlMs = Math.max(...claims.map((claim) => claim.ttlMs))
      const gens = await each(
        operation,
        settle,
        claims.map(({ id }) => id),
        [String(ttlMs)],
        (i) => {
          const { lease: given, owner } = claims[i] as Claim
          // A token of a former epoch is still given back; it fills nothing.
          const current = given === undefined || (prefix !== null && given.startsWith(prefix))
          return [
            given === undefined ? '*' : given.slice(given.lastIndexOf('/') + 1),
            fresh('r'),
            current && prefix !== null ? owner : '',
          ]
        },
      )
      return gens.map((gen) => (prefix === null || String(gen) === '' ? '' : prefix + String(gen)))
    },

    /** Makes misses of the ids; whose they were, empty where nobody knows. */
    async evict(operation: string, ids: readonly string[]): Promise<readonly string[]> {
      return (await each(operation, evict, ids, [], () => [])).map(String)
    },

    /** A new epoch: the former one's entries and leases are void. Needs no room. */
    async flush(): Promise<void> {
      await connection.all('flushEpoch', [{ key: keys.epoch, args: ['DEL', keys.epoch] }])
    },
  }
}

export type Pointers = ReturnType<typeof makePointers>
/** How many pointers go together where all keys lie on one server. */
export const together = most
