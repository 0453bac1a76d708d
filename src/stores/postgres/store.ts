import { createGate, type MemoryStore, type OperationOptions, type StoreHealth } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import { anyOf, exactly, type ScopeFilter } from '../../model/index.ts'
import { commit } from './commit/commit.ts'
import { findUsedKey } from './commit/known.ts'
import type { Call } from './database.ts'
import { derive } from './derive.ts'
import { erase } from './erase/erase.ts'
import { journal, journalEnds } from './journal.ts'
import type { BeforeVisible } from './land.ts'
import { links } from './links.ts'
import { list } from './list.ts'
import { findTransaction, head, log, revisions } from './log.ts'
import type { Migration } from './migrate.ts'
import { openSession } from './open.ts'
import { checkOptions, type PostgresOptions } from './options.ts'
import { place } from './place.ts'
import { get, holders, vectorsOf } from './read.ts'
import { searchFacets } from './search/index.ts'
import type { Session } from './session.ts'
import { stats, vectorSpaces } from './stats.ts'
import { verify } from './verify.ts'

const name = 'postgres'

/** For tests, which can see more than callers can, and need less for it. */
export interface Hooks {
  /** Beyond so many visible vectors their index is asked. */
  readonly comparedWhole?: number | undefined
  readonly beforeVisible?: BeforeVisible
  /** In place of the real ones. */
  readonly migrations?: readonly Migration[] | undefined
}

/** What `postgres` makes, with hooks. */
export function createStore(
  options: PostgresOptions,
  { beforeVisible, comparedWhole, migrations }: Hooks = {},
): MemoryStore {
  const checked = checkOptions(options)
  const gate = createGate<Session>(name)
  const on = <T>(
    operation: string,
    { signal }: OperationOptions,
    action: (session: Session, call: Call) => Promise<T>,
    scope?: ScopeFilter,
  ): Promise<T> => gate.run({ signal }, (session) => action(session, { operation, signal, scope }))

  async function health(options: OperationOptions = {}): Promise<StoreHealth> {
    const began = performance.now()
    try {
      await on('health', options, ({ database }, call) =>
        database.transaction(call, 'read', (query) => query('SELECT 1')),
      )
      const latencyMs = Math.round((performance.now() - began) * 10) / 10
      return { status: 'ok', tiers: [{ name, role: 'store', status: 'ok', latencyMs }] }
    } catch (error) {
      const reason = MnemeError.is(error) ? error.message : 'postgres store: the server did not answer.'
      return { status: 'down', tiers: [{ name, role: 'store', status: 'down', reason }] }
    }
  }

  return {
    name,
    contract: 1,
    open: (options = {}) =>
      gate.open(options, () => openSession(checked, { signal: options.signal, comparedWhole, migrations })),
    async close() {
      // Before the calls in hand: they have no new index made meanwhile. Where nothing is open nothing is to be stopped.
      gate.run({}, async ({ near }) => near.stop()).catch(() => undefined)
      await gate.close(({ database }) => database.end())
    },
    health,

    get: (scope, ids, options = {}) =>
      on('get', options, (session, call) => get(session, call, scope, ids, options), scope),
    list: (scope, query, options = {}) =>
      on('list', options, (session, call) => list(session, call, scope, query, options), scope),
    holders: (claims, options = {}) =>
      on(
        'holders',
        options,
        (session, call) => holders(session, call, claims),
        anyOf(claims.map((claim) => exactly(claim.scope))),
      ),

    commit: (transaction, options = {}) =>
      on('commit', options, (session, call) => commit(session, call, transaction, beforeVisible)),
    derive: (derivations, touched = [], options = {}) =>
      on('derive', options, (session, call) => derive(session, call, derivations, touched)),
    erase: (scope, ids, options = {}) =>
      on('erase', options, (session, call) => erase(session, call, scope, ids, options, beforeVisible), scope),

    revisions: (scope, id, options = {}) =>
      on('revisions', options, (session, call) => revisions(session, call, scope, id), scope),
    log: (after, options = {}) =>
      on('log', options, (session, call) => log(session, call, after, options.limit ?? 1000)),
    head: (options = {}) => on('head', options, head),
    secret: (options = {}) => on('secret', options, async ({ secret }) => Buffer.from(secret)),
    place: (options = {}) => on('place', options, place),
    usedKey: (scope, key, { now }, options = {}) =>
      on(
        'usedKey',
        options,
        async ({ database }, call) => {
          const used = await database.transaction(call, 'read', (query) => findUsedKey(query, { scope, key }, now))
          return used && { tx: used.tx, digest: used.digest }
        },
        exactly(scope),
      ),
    transaction: (id, options = {}) =>
      on('transaction', options, (session, call) => findTransaction(session, call, id)),
    links: (scope, ids, options = {}) =>
      on('links', options, (session, call) => links(session, call, scope, ids, options), scope),
    journal: (scope, { after = 0, limit }, options = {}) =>
      on('journal', options, (session, call) => journal(session, call, scope, after, limit), scope),
    journalEnds: (options = {}) => on('journalEnds', options, journalEnds),
    stats: (scope, query, options = {}) =>
      on('stats', options, (session, call) => stats(session, call, scope, query, options.asOf), scope),
    vectorsOf: (ids, options = {}) => on('vectorsOf', options, (session, call) => vectorsOf(session, call, ids)),
    vectorSpaces: (options = {}) => on('vectorSpaces', options, vectorSpaces),
    verify: (options = {}) => on('verify', options, verify),

    ...searchFacets(on),
  }
}

/**
 * A store in PostgreSQL 14 or later, which any number of processes share. Nothing is connected before `open`. It works
 * through poolers that hand out connections by transaction, and finds the server again by itself.
 * @throws SetupError BAD_CONFIG for options that can't be meant
 */
export function postgres(options: PostgresOptions = {}): MemoryStore {
  return createStore(options)
}
