import { createGate, type MemoryStore, type OperationOptions } from '../../contract/index.ts'
import { ownerKey } from '../../model/index.ts'
import { commit } from './commit.ts'
import type { Call } from './connection.ts'
import { derive } from './derive.ts'
import { erase } from './erase.ts'
import { graphSearch } from './graph.ts'
import { health } from './health.ts'
import { journal, journalEnds } from './journal.ts'
import { links } from './links.ts'
import { keyUid } from './load.ts'
import { head, log, transaction } from './log.ts'
import { openSession } from './open.ts'
import { type BoltOptions, checkOptions } from './options.ts'
import { get, holders, list, revisions, vectorSpaces, vectorsOf } from './read.ts'
import { ownersNamed, readingAtOnce, type Session } from './session.ts'
import { stats } from './stats.ts'
import { verify } from './verify.ts'

const name = 'bolt'

/**
 * A store in a graph database that speaks Bolt: records are `Memory` nodes, their links relations between them. Several processes may
 * share it. Nothing connects before `open`; a server that was away is found again by itself.
 * @throws SetupError BAD_CONFIG
 */
export function bolt(options: BoltOptions = {}): MemoryStore {
  const checked = checkOptions(options, process.env)
  const gate = createGate<Session>(name)
  const on = <T>(
    operation: string,
    { signal }: OperationOptions,
    action: (session: Session, call: Call) => Promise<T>,
  ): Promise<T> => gate.run({ signal }, (session) => action(session, { operation, signal }))

  return {
    name,
    contract: 1,
    open: (options = {}) =>
      gate.open(options, () => openSession(checked, { operation: 'open', signal: options.signal })),
    close: () =>
      gate.close(async ({ background, connection }) => {
        await Promise.all(background)
        await connection.close()
      }),

    get: (scope, ids, options = {}) => on('get', options, (session, call) => get(session, call, scope, ids, options)),
    list: (scope, query, options = {}) =>
      on('list', options, (session, call) => list(session, call, scope, query, options)),
    holders: (claims, options = {}) => on('holders', options, (session, call) => holders(session, call, claims)),

    commit: (given, options = {}) => on('commit', options, (session, call) => commit(session, call, given)),
    derive: (derivations, touched = [], options = {}) =>
      on('derive', options, (session, call) => derive(session, call, derivations, touched)),
    erase: (scope, ids, options = {}) =>
      on('erase', options, (session, call) => erase(session, call, scope, ids, options)),

    revisions: (scope, id, options = {}) =>
      on('revisions', options, (session, call) => revisions(session, call, scope, id)),
    log: (after, options = {}) =>
      on('log', options, (session, call) => log(session, call, after, options.limit ?? 1000)),
    head: (options = {}) => on('head', options, head),
    secret: (options = {}) => on('secret', options, async ({ salt }) => Buffer.from(salt)),
    usedKey: (scope, key, { now }, options = {}) =>
      on('usedKey', options, async (session, call) => {
        const owners = ownersNamed([session.partition.uid(ownerKey(scope))])
        const [used] = await readingAtOnce(session, call, owners, (run) =>
          run('MATCH (k:MnemeKey {uid: $uid}) RETURN k.tx AS tx, k.digest AS digest, k.expiresAt AS expiresAt', {
            uid: keyUid(session, scope, key),
          }),
        )
        if (used === undefined || now >= (used.expiresAt as number)) return null
        return { tx: used.tx as string, digest: used.digest as string }
      }),
    transaction: (id, options = {}) => on('transaction', options, (session, call) => transaction(session, call, id)),
    links: (scope, ids, options = {}) =>
      on('links', options, (session, call) => links(session, call, scope, ids, options.asOf)),
    journal: (scope, query, options = {}) =>
      on('journal', options, (session, call) => journal(session, call, scope, query.after ?? 0, query.limit)),
    journalEnds: (options = {}) => on('journalEnds', options, journalEnds),

    stats: (scope, query, options = {}) =>
      on('stats', options, (session, call) => stats(session, call, scope, query, options)),
    vectorsOf: (ids, options = {}) => on('vectorsOf', options, (session, call) => vectorsOf(session, call, ids)),
    vectorSpaces: (options = {}) => on('vectorSpaces', options, vectorSpaces),
    verify: (options = {}) => on('verify', options, verify),
    graph: graphSearch(on),
    health: (options = {}) => on('health', options, health),
  }
}
