import type {
  Cursor,
  ListQuery,
  LogPage,
  MemoryStore,
  OpenOptions,
  OperationOptions,
  ReadOptions,
  StoredRecord,
  StoreHealth,
  Transaction,
} from '../../contract/index.ts'
import type { MnemeError } from '../../errors/index.ts'
import { allScopes, anyOf, exactly, type Scope, type ScopeFilter } from '../../model/index.ts'
import { type Behind, cached } from './cached.ts'
import { coldSide, isAway } from './cold-side.ts'
import { facetsOver } from './facets-over.ts'
import { gate } from './gate.ts'
import { tieredHealth } from './health.ts'
import { hotSide } from './hot-side.ts'
import { checkOptions, type TieredOptions } from './options.ts'
import { reports as makeReports } from './reports.ts'
import { type Carry, isOfSession, staging } from './staging/index.ts'
import { setAside, waitingRoom } from './waiting/index.ts'
import { countHeld, holdersHeld, isMarked, listHeld, logHeld, markedPlace, unmarkedPlace } from './while-away.ts'

/** A store of two layers; what each of them is for is in docs/stores.md. */
export interface TieredStore extends MemoryStore {
  health(options?: OperationOptions): Promise<StoreHealth>
  /**
   * Makes records of what sessions of the scope have staged in the cold store: transaction by transaction, each whole or not at all.
   * Can be repeated, and be run by several at once. Nothing to do in write-through mode.
   * @returns how many records this call made, and how many are still staged
   * @throws BackendError when not even the first could be made; after that the answer says how far it came
   */
  migrateToCold(
    scope: Scope,
    options?: OperationOptions,
  ): Promise<{ readonly migrated: number; readonly remaining: number }>
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
  const through: Behind = {
    commit: (transaction, call) => cold.run((behindIt) => behindIt.commit(transaction, call)),
    settle: async () => undefined,
    drain: async () => undefined,
    erase: (scope, ids, call) => cold.run((behindIt) => behindIt.erase(scope, ids, call)),
    mayWait,
  }
  const { get, commit, derive, erase } = cached(cold, hot, reports, staged === null ? through : { ...waiting, mayWait })
  const door = gate(name)
  /** The end of the log as it was last known, and how far late vectors had come. */
  let place: Cursor | null = null
  let derived = ''

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

  /** What the hot tier holds of a scope; fails as the cold store did when that can't be told. */
  async function held(scope: ScopeFilter, error: MnemeError): Promise<readonly StoredRecord[]> {
    if (reports.listener === undefined) throw error
    const found = await hot.ask(async (asked) => {
      const entries: StoredRecord[] = []
      for await (const stored of asked.scan(scope)) entries.push(stored)
      return entries
    })
    if (found === null) throw error
    reports.tell('cold', error, 'The cold store is away: only what the hot tier holds is in the answer.')
    return found
  }

  /** Asks the cold store; while it is away, answers those who listen from what the hot tier holds. */
  async function orHeld<T>(
    scope: ScopeFilter,
    work: (cold: MemoryStore) => Promise<T>,
    instead: (entries: readonly StoredRecord[]) => T,
    canTell = true,
  ): Promise<T> {
    try {
      if (staged !== null) await waiting.settle()
      return await cold.run(work)
    } catch (error) {
      if (!isAway(error) || !canTell) throw error
      return instead(await held(scope, error))
    }
  }

  /** A place that was given out while the cold store was away is the one before it there. */
  function past<T extends ReadOptions>(given: T | undefined): T | undefined {
    if (given?.asOf === undefined || !('position' in given.asOf) || !isMarked(given.asOf.position)) return given
    const position = unmarkedPlace(given.asOf.position)
    return { ...given, asOf: position === null ? undefined : { position } }
  }

  function list(scope: ScopeFilter, query: ListQuery, given: ReadOptions | undefined) {
    const call = past(given)
    return orHeld(
      scope,
      (behindIt) => behindIt.list(scope, query, call),
      (entries) => listHeld(entries, scope, query),
      query.hash === undefined && isPresent(call),
    )
  }

  /** A page that goes on is of the state of its first one, which is the last that is known while the cold store is away. */
  function isPresent(call: ReadOptions | undefined): boolean {
    return call?.asOf === undefined || 'position' in call.asOf
  }

  async function log(after: Cursor | null, given: Parameters<MemoryStore['log']>[1]): Promise<LogPage> {
    const page = await orHeld(
      allScopes(),
      (behindIt) => behindIt.log(unmarkedPlace(after), given),
      (entries) => logHeld(entries, after, derived),
    )
    if (page.entries.length === 0 && !isMarked(page.cursor)) place = page.cursor
    derived = page.derived
    return page
  }

  /** For what the hot tier can say nothing of. */
  async function orNothing<T>(work: (cold: MemoryStore) => Promise<T>, instead: () => T): Promise<T> {
    try {
      return await cold.run(work)
    } catch (error) {
      if (!isAway(error) || reports.listener === undefined) throw error
      // With both away nobody is left to answer.
      if ((await hot.ask((asked) => asked.queue.size())) === null) throw error
      reports.tell('cold', error, 'The cold store is away: what only it knows is missing from the answer.')
      return instead()
    }
  }

  async function head(call: OperationOptions | undefined): Promise<Cursor> {
    const end = await orNothing(
      (behindIt) => behindIt.head(call),
      () => markedPlace(place),
    )
    if (!isMarked(end)) place = end
    return end
  }

  async function vectorsOf(ids: readonly string[], call: OperationOptions | undefined) {
    try {
      return await cold.run((behindIt) => behindIt.vectorsOf(ids, call))
    } catch (error) {
      if (!isAway(error) || reports.listener === undefined) throw error
      const answers = await hot.get(allScopes(), ids)
      if (answers === null) throw error
      reports.tell('cold', error, 'The cold store is away: vectors that the hot tier does not hold are not compared.')
      return answers.map((answer) => (answer.state === 'hit' ? answer.stored.vector : null))
    }
  }

  async function migrate(scope: Scope, call: OperationOptions | undefined) {
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
    list: (scope, query, call) => door.run(call, () => list(scope, query, call)),
    commit: (transaction, call) => door.run(call, () => commit(transaction, call)),
    derive: (derivations, touched, call) => door.run(call, () => derive(derivations, touched, call)),
    erase: (scope, ids, call) => door.run(call, () => erase(scope, ids, call)),
    log: (after, call) => door.run(call, () => log(after, call)),
    stats: (scope, query, call) =>
      door.run(call, () =>
        orHeld(
          scope,
          (behindIt) => behindIt.stats(scope, query, past(call)),
          (entries) => countHeld(entries, scope, query),
          isPresent(call),
        ),
      ),
    vectorsOf: (ids, call) => door.run(call, () => vectorsOf(ids, call)),
    vectorSpaces: (call) =>
      door.run(call, () =>
        orHeld(
          allScopes(),
          (behindIt) => behindIt.vectorSpaces(call),
          (entries) => [...new Set(entries.flatMap(({ vector }) => vector?.space ?? []))],
        ),
      ),

    holders: (claims, call) =>
      door.run(call, () =>
        orHeld(
          anyOf(claims.map((claim) => exactly(claim.scope))),
          (behindIt) => behindIt.holders(claims, call),
          (entries) => holdersHeld(entries, claims),
        ),
      ),
    revisions: (scope, id, call) => door.run(call, () => cold.run((behindIt) => behindIt.revisions(scope, id, call))),
    head: (call) => door.run(call, () => head(call)),
    secret: (call) => door.run(call, () => cold.run((behindIt) => behindIt.secret(call))),
    usedKey: (scope, key, query, call) =>
      door.run(call, () =>
        orNothing(
          (behindIt) => behindIt.usedKey(scope, key, query, call),
          () => null,
        ),
      ),
    transaction: (id, call) => door.run(call, () => cold.run((behindIt) => behindIt.transaction(id, call))),
    links: (scope, ids, call) =>
      door.run(call, () =>
        orNothing(
          (behindIt) => behindIt.links(scope, ids, past(call)),
          () => [],
        ),
      ),
    journal: (scope, query, call) => door.run(call, () => cold.run((behindIt) => behindIt.journal(scope, query, call))),
    journalEnds: (call) => door.run(call, () => cold.run((behindIt) => behindIt.journalEnds(call))),
    verify: (call) => door.run(call, () => cold.run((behindIt) => behindIt.verify(call))),

    health: (call) =>
      tieredHealth(
        {
          options: checked,
          cold: asked(),
          distrust: hot.distrust,
          refused: staged === null ? async () => 0 : () => cold.run(() => aside.count(call)),
        },
        call,
      ),
    migrateToCold: (scope, call) => door.run(call, () => migrate(scope, call)),
    dropSession: (scope, call) => door.run(call, () => tier.dropSession(scope, call)),

    ...(backup === undefined ? {} : { backup: (path, call) => door.run(call, () => backup.call(store, path, call)) }),
    ...(scratch === undefined ? {} : { scratch: (call) => door.run(call, () => scratch.call(store, call)) }),
    ...facetsOver(store, { door, cold, held }),
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
