import { createGate, type HotTier, type OperationOptions } from '../../contract/index.ts'
import { type Connection, openConnection } from './connection.ts'
import { makeEntries } from './entries.ts'
import { askHealth } from './health.ts'
import { makeKeys } from './keys.ts'
import { checkOptions, type RedisOptions } from './options.ts'
import { makeOwners } from './owners.ts'
import { makePointers, together } from './pointers.ts'
import { makeQueue } from './queue.ts'
import { makeReads } from './search.ts'

const name = 'redis'

/** All that works on one connection. */
interface Session {
  readonly connection: Connection
  readonly entries: ReturnType<typeof makeEntries>
  readonly pointers: ReturnType<typeof makePointers>
  readonly reads: ReturnType<typeof makeReads>
  readonly queue: ReturnType<typeof makeQueue>
  readonly queueKey: string
}

/**
 * A hot tier on Redis 6 or later, or Valkey: copies of records as hashes that expire, in front of a durable store. Nothing
 * is connected before `open`, a server that is down is tried again by the calls that need it.
 * @throws SetupError BAD_CONFIG for options that can't be meant
 */
export function redis(options: RedisOptions = {}): HotTier {
  const checked = checkOptions(options)
  const gate = createGate<Session>(name)

  async function start(behind: string | undefined): Promise<Session> {
    const keys = makeKeys(checked.prefix, behind)
    const connection = await openConnection(checked)
    const pointers = makePointers(connection, keys, checked.cluster ? 1 : together, checked)
    const entries = makeEntries(connection, keys, pointers, checked.ttlMs)
    const reads = makeReads(entries, makeOwners(connection, keys), pointers)
    return { connection, entries, pointers, reads, queue: makeQueue(connection, keys.queue), queueKey: keys.queue }
  }

  /** Runs on the open session; `close` waits for it, an abort does not. */
  async function on<T>({ signal }: OperationOptions, action: (session: Session) => Promise<T>): Promise<T> {
    const work = gate.run({ signal }, action)
    if (signal === undefined) return work
    let stop: (() => void) | undefined
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
    })
    try {
      return await Promise.race([work, aborted])
    } finally {
      if (stop !== undefined) signal.removeEventListener('abort', stop)
    }
  }

  return {
    name,
    ttlMs: checked.ttlMs,
    open: ({ signal, behind } = {}) => gate.open({ signal }, () => start(behind)),
    close: () => gate.close(({ connection }) => connection.close()),

    get: (scope, ids, options = {}) => on(options, ({ entries }) => entries.get(scope, ids)),
    putIfNewer: (puts, options = {}) => on(options, ({ entries }) => entries.putIfNewer(puts)),
    remove: (tombstones, options = {}) => on(options, ({ entries }) => entries.remove(tombstones)),
    hold: (ids, options = {}) => on(options, ({ pointers }) => pointers.hold(ids)),
    release: (leases, options = {}) => on(options, ({ entries }) => entries.release(leases)),
    evict: (ids, options = {}) => on(options, ({ entries }) => entries.evict('evict', ids)),
    touch: (touched, options = {}) => on(options, ({ entries }) => entries.touch(touched)),

    search: (scope, query, options = {}) => on(options, ({ reads }) => reads.search(scope, query)),
    session: (scope, options = {}) => on(options, ({ reads }) => reads.session('session', scope)),
    dropSession: (scope, options = {}) => on(options, ({ reads }) => reads.dropSession(scope)),
    async *scan(scope, options = {}) {
      const found = await on(options, async ({ reads }) => reads.scan('scan', scope))
      for (;;) {
        const step = await on(options, () => found.next())
        if (step.done === true) return
        yield step.value
      }
    },

    flushEpoch: (options = {}) => on(options, ({ pointers }) => pointers.flush()),
    queue: {
      push: (entry, bound, options = {}) => on(options, ({ queue }) => queue.push(entry, bound)),
      peek: (limit, options = {}) => on(options, ({ queue }) => queue.peek(limit)),
      shift: (entry, options = {}) => on(options, ({ queue }) => queue.shift(entry)),
      size: (options = {}) => on(options, ({ queue }) => queue.size()),
    },
    async health(options = {}) {
      try {
        return await on(options, ({ connection, queueKey }) => askHealth(name, connection, queueKey))
      } catch (error) {
        return { name, role: 'hot', status: 'down', reason: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}
