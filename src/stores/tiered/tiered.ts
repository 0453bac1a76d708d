import {
  createGate,
  type HotTier,
  type MemoryStore,
  type MigrationCounts,
  type OpenOptions,
  type OperationOptions,
  type StoreHealth,
  type Transaction,
} from '../../contract/index.ts'
import type { Scope } from '../../model/index.ts'
import { answersOf } from './answers.ts'
import { type Behind, cached } from './cached.ts'
import { coldSide, isAway } from './cold-side.ts'
import { facetsOver } from './facets-over.ts'
import { tieredHealth } from './health.ts'
import { hotSide } from './hot-side.ts'
import { checkOptions, type TieredOptions } from './options.ts'
import { past, readsOf } from './reads.ts'
import { reports as makeReports } from './reports.ts'
import { type Carry, isOfSession, staging } from './staging/index.ts'
import { recordsIn, setAside, waitingRoom } from './waiting/index.ts'

/** A store of two layers; what each of them is for is in docs/stores.md. */
export interface TieredStore extends MemoryStore {
  health(options?: OperationOptions): Promise<StoreHealth>
  /**
   * Makes records of what sessions of the scope have staged in the cold store: transaction by transaction, each whole or not at all.
   * Can be repeated, and be run by several at once. Nothing to do in write-through mode.
   * @returns how many records this call made, and how many are still staged
   * @throws BackendError when not even the first could be made; after that the answer says how far it came
   */
  migrateToCold(scope: Scope, options?: OperationOptions): Promise<MigrationCounts>
  /** Takes a session's entries out of the hot tier; the cold store keeps its memories. How many there were. */
  dropSession(scope: Scope, options?: OperationOptions): Promise<number>
}

/**
 * A hot tier in front of a durable store. Reads of single records ask the hot tier first; what it lacks comes from the cold store and is kept
 * there. Which write is durable when is in docs/stores.md.
 * @throws SetupError BAD_CONFIG
 */
export function tiered(options: TieredOptions): TieredStore {
  const checked = checkOptions(options)
  const { hot: tier, mode, maxWaiting, staleMs, behind } = checked
  // Whoever reads one between its promotion and its late vector has put it into the hot tier without that.
  const carry: Carry = (late, call) =>
    hot.write(
      { ids: late.map(({ id }) => id) },
      () => checked.cold.derive(late, [], call),
      () => [],
    )
  const staged = mode === 'session' ? staging(checked.cold, isOfSession, carry) : null
  const store = staged ?? checked.cold
  const name = `tiered (${tier.name} over ${store.name})`
  const reports = makeReports()
  const cold = coldSide(store)
  const hot = hotSide({ tier, cold, reports, staleMs, behind })
  const mayWait = (transaction: Transaction) => staged?.isPlain(transaction) ?? false
  const aside = setAside(checked.cold, store.erase)
  const waiting = waitingRoom({ tier, cold, reports, maxWaiting, aside, mayWait })
  const waitingIn = async (from: HotTier) => (staged === null ? [] : recordsIn(from.queue, maxWaiting))
  const through: Behind = {
    commit: (transaction, call) => cold.run((behindIt) => behindIt.commit(transaction, call)),
    settle: async () => undefined,
    drain: async () => undefined,
    erase: (scope, ids, call) => cold.run((behindIt) => behindIt.erase(scope, ids, call)),
    mayWait,
    waitingIn,
  }
  const { get, commit, derive, erase } = cached(
    cold,
    hot,
    reports,
    staged === null ? through : { ...waiting, mayWait, waitingIn },
  )
  const door = createGate(name)
  const settle = staged === null ? through.settle : waiting.settle
  const answers = answersOf({ cold, hot, reports, waitingIn, settle })

  async function start(given: OpenOptions | undefined): Promise<void> {
    reports.listener = given?.onDegraded
    let away: unknown = null
    await cold.open({ onDegraded: given?.onDegraded }).catch((error: unknown) => {
      if (!isAway(error)) throw error
      away = error
    })
    try {
      await hot.open()
      if (staged !== null) waiting.open()
      // With both away nothing could be answered. One that has no name yet is not asked.
      if (away !== null && hot.isOpen && (await tier.health()).status === 'down') throw away
    } catch (error) {
      await end().catch(() => undefined)
      throw error
    }
  }

  async function end(): Promise<void> {
    await waiting.close()
    const closed = await Promise.allSettled([hot.close(), cold.close()])
    for (const each of closed) if (each.status === 'rejected') throw each.reason
  }

  async function migrate(scope: Scope, call: OperationOptions | undefined): Promise<MigrationCounts> {
    if (staged === null) return { migrated: 0, remaining: 0 }
    const left = (error: unknown) =>
      reports.tell('cold', error, 'Not all of the session could be made records; repeat the call for what remains.')
    await waiting.settle()
    return cold.run(() => staged.promote(scope, left, call))
  }

  const { backup, scratch } = store
  return {
    name,
    contract: 1,
    settings: { mode: checked.mode, hot: tier.name, cold: store.name, hotTtlMs: tier.ttlMs },
    open: (given) => door.open(given, () => start(given)),
    close: () => door.close(end),

    get: (scope, ids, call) => door.run(call, () => get(scope, ids, past(call))),
    commit: (transaction, call) => door.run(call, () => commit(transaction, call)),
    derive: (derivations, touched, call) => door.run(call, () => derive(derivations, touched, call)),
    erase: (scope, ids, call) => door.run(call, () => erase(scope, ids, call)),
    ...readsOf({ door, answers, cold, hot, reports }),

    health: (call) =>
      tieredHealth(
        {
          options: checked,
          cold: asked(),
          distrust: hot.distrust,
          countSetAside: staged === null ? async () => 0 : () => cold.run(() => aside.count(call)),
        },
        call,
      ),
    migrateToCold: (scope, call) => door.run(call, () => migrate(scope, call)),
    dropSession: (scope, call) => door.run(call, () => tier.dropSession(scope, call)),

    ...(backup === undefined ? {} : { backup: (path, call) => door.run(call, () => backup.call(store, path, call)) }),
    ...(scratch === undefined ? {} : { scratch: (call) => door.run(call, () => scratch.call(store, call)) }),
    ...facetsOver(store, { door, cold, held: answers.held }),
  }

  /** The cold store for questions about its health: opened first where it was away. */
  function asked(): Pick<MemoryStore, 'name' | 'head' | 'health'> {
    const { health } = store
    return {
      name: store.name,
      head: (call) => cold.run((behindIt) => behindIt.head(call)),
      ...(health === undefined ? {} : { health: (call) => cold.run(() => health.call(store, call)) }),
    }
  }
}
