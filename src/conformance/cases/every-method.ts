import type { MemoryStore, OperationOptions } from '../../contract/index.ts'
import { allScopes } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceContext } from '../conformance-case.ts'

/** A call of every method of the contract that works on an open store. The writes would write something. */
export function everyMethod(
  { ids, transaction }: ConformanceContext,
  store: MemoryStore,
): Record<string, (options?: OperationOptions) => Promise<unknown>> {
  const all = allScopes()
  const scope = { userId: 'ann' }
  const { place } = store
  return {
    get: (options) => store.get(all, ['x'], options),
    list: (options) => store.list(all, { order: 'newest', limit: 10 }, options),
    holders: (options) => store.holders([{ type: 'key', scope, kind: 'semantic', value: 'k' }], options),
    commit: (options) => store.commit(transaction([put({ id: ids() })]), options),
    derive: (options) => store.derive([], [{ id: 'x', at: 1 }], options),
    erase: (options) => store.erase(all, ['x'], options),
    revisions: (options) => store.revisions(all, 'x', options),
    log: (options) => store.log(null, options),
    head: (options) => store.head(options),
    secret: (options) => store.secret(options),
    ...(place === undefined ? {} : { place: (options) => place.call(store, options) }),
    usedKey: (options) => store.usedKey(scope, 'k', { now: 0 }, options),
    transaction: (options) => store.transaction('x', options),
    links: (options) => store.links(all, ['x'], options),
    journal: (options) => store.journal(all, { limit: 10 }, options),
    journalEnds: (options) => store.journalEnds(options),
    stats: (options) => store.stats(all, { now: 0 }, options),
    vectorsOf: (options) => store.vectorsOf(['x'], options),
    vectorSpaces: (options) => store.vectorSpaces(options),
    verify: (options) => store.verify(options),
  }
}
