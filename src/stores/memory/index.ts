import { encodeCursor, type MemoryStore, type OperationOptions, storeClosed } from '../../contract/index.ts'
import { commit, findUsedKey } from './commit.ts'
import { derive } from './derive.ts'
import { erase } from './erase.ts'
import * as read from './read.ts'
import { emptyState, type State } from './state.ts'
import { verify } from './verify.ts'

/**
 * A store in this process's memory: for tests, trials and what need not outlive the process. `close` forgets
 * everything. It is the whole storage contract in its plainest form: every read looks at every record, so it suits
 * some ten thousand of them.
 */
export function memory(): MemoryStore {
  const name = 'memory'
  let state: State | null = null

  /** Runs without interruption, as all of it is synchronous: commits are serial. */
  async function on<T>(options: OperationOptions | undefined, action: (state: State) => T): Promise<T> {
    options?.signal?.throwIfAborted()
    if (state === null) throw storeClosed(name)
    return action(state)
  }

  return {
    name,
    contract: 1,

    async open(options) {
      options?.signal?.throwIfAborted()
      state ??= emptyState()
    },
    async close() {
      state = null
    },

    get: (scope, ids, options) => on(options, (now) => read.get(now, scope, ids, options?.asOf)),
    list: (scope, query, options) => on(options, (now) => read.list(now, scope, query, options?.asOf)),
    holders: (claims, options) => on(options, (now) => read.holders(now, claims)),
    commit: (transaction, options) => on(options, (now) => commit(now, transaction)),
    derive: (vectors, touched, options) => on(options, (now) => derive(now, vectors, touched ?? [])),
    erase: (scope, ids, options) => on(options, (now) => erase(now, scope, ids, options ?? {})),
    revisions: (scope, id, options) => on(options, (now) => read.revisions(now, scope, id)),
    log: (after, options) => on(options, (now) => read.log(now, after, options?.limit)),
    head: (options) => on(options, (now) => encodeCursor(now.position)),
    secret: (options) => on(options, (now) => Buffer.from(now.salt)),
    usedKey: (scope, key, query, options) =>
      on(options, (now) => {
        const used = findUsedKey(now, scope, key, query.now)
        return used ? { tx: used.tx, digest: used.digest } : null
      }),
    transaction: (id, options) =>
      on(options, (now) => {
        const kept = now.transactions.get(id)
        return kept ? read.showTransaction(kept) : null
      }),
    links: (scope, ids, options) => on(options, (now) => read.links(now, scope, ids, options?.asOf)),
    journal: (scope, query, options) => on(options, (now) => read.journal(now, scope, query.after ?? 0, query.limit)),
    journalEnds: (options) => on(options, (now) => read.journalEnds(now)),
    stats: (scope, query, options) => on(options, (now) => read.stats(now, scope, query, options?.asOf)),
    vectorsOf: (ids, options) => on(options, (now) => read.vectorsOf(now, ids)),
    vectorSpaces: (options) => on(options, (now) => read.vectorSpaces(now)),
    verify: (options) => on(options, verify),
  }
}
