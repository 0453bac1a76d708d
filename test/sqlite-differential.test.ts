import assert from 'node:assert/strict'
import fc from 'fast-check'
import { it } from 'vitest'
import type {
  AsOf,
  Derivation,
  ListOrder,
  ListQuery,
  LoggedChange,
  LogPage,
  MemoryStore,
  Precondition,
  StoreChange,
  Touch,
} from '../src/contract/index.ts'
import { MnemeError } from '../src/errors/index.ts'
import {
  allScopes,
  exactly,
  type Scope,
  type ScopeFilter,
  type Status,
  within,
  withShared,
} from '../src/model/index.ts'
import { memory } from '../src/stores/memory/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { put, unitVector } from '../src/testing/index.ts'

const start = Date.parse('2026-01-01T00:00:00Z')

/** Few of each, so that random operations meet. */
const ids = ['a', 'b', 'c', 'é\u{1f600}', '\uffee', 'F']
const scopes: readonly Scope[] = [
  { userId: 'ann' },
  { userId: 'ann', sessionId: 's1' },
  { userId: 'bob' },
  { appId: 'x', userId: 'bob', namespace: ['p', 'q'] },
]
const filters: readonly ScopeFilter[] = [
  allScopes(),
  ...scopes.map((scope) => exactly(scope)),
  within({ userId: 'ann' }),
  within({ appId: 'x' }),
  withShared({ userId: 'ann', sessionId: 's1' }),
]

const id = fc.constantFrom(...ids)
/** An id has one scope, mostly: else most commits would be refused. */
const scopeOf = (name: string): Scope => scopes[ids.indexOf(name) % scopes.length] as Scope
const kind = fc.constantFrom('semantic', 'episodic', '_conflict')
const status: fc.Arbitrary<Status> = fc.constantFrom('live', 'live', 'live', 'superseded', 'archived')
const moment = fc.integer({ min: 0, max: 20 }).map((n) => start + n * 1000)
const time = moment.map((ms) => new Date(ms).toISOString())
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const vector = fc.option(
  fc.tuple(fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 3, maxLength: 3 }), fc.constantFrom('one', 'two')),
  { freq: 2 },
)

function without<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never
}

const putChange: fc.Arbitrary<StoreChange> = fc
  .record({
    id,
    odd: fc.integer({ min: 0, max: 30 }),
    kind,
    status,
    content: fc.constantFrom('One.', 'two words', '?', '\u0000 nul', 'lone \ud800'),
    key: maybe(fc.constantFrom('k1', 'k2')),
    tags: fc.subarray(['t1', 't2']),
    n: fc.integer({ min: 0, max: 3 }),
    importance: fc.constantFrom(0, 0.3, 0.3, 1),
    start: maybe(time),
    expiresAt: maybe(time),
    validTo: maybe(time),
    createdAt: maybe(time),
    version: maybe(fc.integer({ min: 0, max: 6 })),
    supersedes: maybe(id),
    from: maybe(fc.uniqueArray(id, { maxLength: 3 })),
    hash: fc.option(fc.constantFrom('h1', 'h2'), { freq: 2 }),
    vector,
  })
  .map(({ odd, n, start: eventStart, from, hash, vector: made, id: name, ...fields }) => {
    const scope = odd === 0 ? (scopes[3] as Scope) : scopeOf(name)
    return put(
      without({
        ...fields,
        id: name,
        scope,
        metadata: { n },
        source: without({ type: 'user' as const, from }),
        eventTime: eventStart === undefined ? undefined : { start: eventStart },
      }),
      { hash, vector: made && unitVector(...made), op: 'update' },
    )
  })

const linkType = fc.constantFrom('x', 'y\u0000')
const change: fc.Arbitrary<StoreChange> = fc.oneof(
  { weight: 8, arbitrary: putChange },
  { weight: 2, arbitrary: id.map((name) => ({ type: 'remove' as const, op: 'delete' as const, id: name })) },
  {
    weight: 2,
    arbitrary: fc.record({ from: id, to: id, type: linkType, n: fc.integer({ min: 0, max: 3 }) }).map(
      ({ from, to, type, n }): StoreChange => ({
        type: 'link',
        link: { from, to, type, weight: n / 4, metadata: { n } },
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ from: id, to: id, linkType }).map((parts): StoreChange => ({ type: 'unlink', ...parts })),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        names: fc.uniqueArray(id, { maxLength: 3 }),
        scope: fc.constantFrom(...scopes),
        actor: maybe(fc.constant('x')),
      })
      .map(
        ({ names, scope, actor }): StoreChange => ({
          type: 'journal',
          line: without({ op: 'read' as const, verb: 'get', ids: names, scope, actor }),
        }),
      ),
  },
)

const precondition: fc.Arbitrary<Precondition> = fc.oneof(
  fc.record({
    type: fc.constant('version' as const),
    id,
    is: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 1 }),
  }),
  fc.record({
    type: fc.constant('noKey' as const),
    scope: fc.constantFrom(...scopes),
    kind,
    key: fc.constantFrom('k1', 'k2'),
  }),
  fc.record({
    type: fc.constant('noContent' as const),
    scope: fc.constantFrom(...scopes),
    kind,
    hash: fc.constantFrom('h1', 'h2'),
  }),
)

const orders: readonly ListOrder[] = ['newest', 'oldest', 'updated', 'importance', 'eventTime']
const query: fc.Arbitrary<ListQuery> = fc
  .record({
    kinds: maybe(fc.uniqueArray(kind)),
    statuses: maybe(fc.oneof(fc.constant('any' as const), fc.uniqueArray(status))),
    key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined, freq: 5 }),
    hash: fc.option(fc.constantFrom('h1', 'h2'), { nil: undefined, freq: 5 }),
    tags: fc.option(fc.constant(['t1']), { nil: undefined, freq: 4 }),
    since: fc.option(moment, { nil: undefined, freq: 4 }),
    until: fc.option(moment, { nil: undefined, freq: 4 }),
    validAt: fc.option(moment, { nil: undefined, freq: 4 }),
    now: maybe(moment),
    withoutVector: fc.option(fc.constant('one'), { nil: undefined, freq: 4 }),
    order: fc.constantFrom(...orders),
    limit: fc.integer({ min: 1, max: 7 }),
    after: fc.option(fc.record({ value: fc.oneof(moment, fc.constant(0.3)), id }), { nil: undefined, freq: 4 }),
  })
  .map(without)

/** Positions are counted from the end, as each store has cursors of its own. */
const past = maybe(
  fc.oneof(
    moment.map((at) => ({ time: at })),
    fc.integer({ min: 0, max: 6 }).map((back) => ({ back })),
  ),
)

type Past = { readonly time: number } | { readonly back: number } | undefined

type Step =
  | {
      readonly do: 'commit'
      readonly at: number
      readonly requires: readonly Precondition[]
      readonly changes: readonly StoreChange[]
      readonly key: string | undefined
      readonly digest: string
      readonly lasts: number
      readonly result: string | undefined
    }
  | { readonly do: 'derive'; readonly vectors: readonly Derivation[]; readonly touched: readonly Touch[] }
  | {
      readonly do: 'erase'
      readonly filter: ScopeFilter
      readonly ids: readonly string[]
      readonly at: number | undefined
    }
  | { readonly do: 'list'; readonly filter: ScopeFilter; readonly query: ListQuery; readonly past: Past }
  | { readonly do: 'look'; readonly filter: ScopeFilter; readonly past: Past }

const filter = fc.constantFrom(...filters)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('commit' as const),
      at: moment,
      requires: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(precondition, { maxLength: 2 })),
      changes: fc.array(change, { maxLength: 5 }),
      key: fc.option(fc.constantFrom('i1', 'i2'), { nil: undefined, freq: 3 }),
      digest: fc.constantFrom('d1', 'd1', 'd2'),
      lasts: fc.integer({ min: 0, max: 10_000 }),
      result: maybe(id),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('derive' as const),
      vectors: fc.array(
        fc
          .record({ id, version: fc.integer({ min: 1, max: 4 }), vector })
          .map(({ vector: made, ...rest }) => ({ ...rest, ...(made && { vector: unitVector(...made) }) })),
        { maxLength: 3 },
      ),
      touched: fc.array(fc.record({ id, at: moment }), { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('erase' as const),
      filter,
      ids: fc.array(id, { maxLength: 2 }),
      at: maybe(moment),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('list' as const), filter, query, past }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('look' as const), filter, past }) },
)

/** What both stores must agree on: without salts, cursors and what no order is promised for. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, item: unknown) => {
      if (key === 'salt' && item !== null) return 'salt'
      if (key === 'cursor' || key === 'sizeBytes') return null
      if (item instanceof Float32Array) return [...item]
      return typeof item === 'string' && item.startsWith('erased:') ? 'erased' : item
    }),
  )
}

function sorted(items: readonly unknown[]): unknown[] {
  return items.map((item) => JSON.stringify(comparable(item))).sort()
}

async function wholeLog(store: MemoryStore): Promise<LogPage['entries']> {
  return (await store.log(null)).entries
}

async function asOfIn(store: MemoryStore, wanted: Past): Promise<AsOf | undefined> {
  if (wanted === undefined || 'time' in wanted) return wanted
  const entries = await wholeLog(store)
  return { position: entries.at(-1 - wanted.back)?.cursor ?? (await store.head()) }
}

/** Links of one store come in an order of their own. */
function logOf(entries: LogPage['entries']): unknown {
  return comparable(entries.map(({ changes, ...entry }) => ({ ...entry, changes: changes as LoggedChange[] })))
}

async function run(store: MemoryStore, each: Step, number: number): Promise<unknown> {
  switch (each.do) {
    case 'commit': {
      const { at, requires, changes, key, digest, lasts, result } = each
      return comparable(
        await store.commit({
          id: `tx-${number}`,
          at,
          verb: 'test',
          actor: `actor-${number}`,
          reason: 'why',
          requires,
          changes,
          ...(key === undefined
            ? {}
            : { idempotency: { scope: scopes[0] as Scope, key, digest, expiresAt: at + lasts } }),
          ...(result === undefined ? {} : { result: { [result]: [result] } }),
        }),
      )
    }
    case 'derive':
      return comparable(await store.derive(each.vectors, each.touched))
    case 'erase':
      return comparable(await store.erase(each.filter, each.ids, without({ tx: `erase-${number}`, at: each.at })))
    case 'list':
      return comparable(await store.list(each.filter, each.query, without({ asOf: await asOfIn(store, each.past) })))
    case 'look': {
      const asOf = without({ asOf: await asOfIn(store, each.past) })
      const stats = await store.stats(each.filter, { now: start + 5000 }, asOf)
      return {
        get: comparable(await store.get(each.filter, [...ids, ...ids.slice(0, 2)], asOf)),
        links: sorted(await store.links(each.filter, ids.slice(0, 3), asOf)),
        counts: sorted(stats.counts),
        spaces: sorted(stats.spaces),
        journal: comparable(await store.journal(each.filter, { limit: 4, after: 1 })),
        revisions: await Promise.all(ids.map(async (name) => comparable(await store.revisions(each.filter, name)))),
      }
    }
  }
}

/** Everything but the look, which random steps take. */
async function finalState(store: MemoryStore): Promise<unknown> {
  const log = await store.log(null)
  return {
    log: logOf(log.entries),
    derived: log.derived,
    keys: await Promise.all(['i1', 'i2'].map((key) => store.usedKey(scopes[0] as Scope, key, { now: start + 5000 }))),
    journal: comparable(await store.journal(allScopes(), { limit: 1000 })),
    problems: await store.verify(),
  }
}

/** The result, or what the store refused. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    if (!MnemeError.is(error)) throw error
    return { code: error.code, details: error.details }
  }
}

it('[SQL-17] answers every sequence of operations as the store in memory does', { timeout: 900_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
      const stores = [memory(), sqlite({ path: ':memory:' })] as const
      for (const store of stores) await store.open()
      const [oracle, tested] = stores
      for (const [number, each] of steps.entries()) {
        const expected = await outcome(run(oracle, each, number))
        assert.deepEqual(await outcome(run(tested, each, number)), expected, `step ${number}: ${each.do}`)
      }
      const look: Step = { do: 'look', filter: allScopes(), past: undefined }
      assert.deepEqual(await run(tested, look, -1), await run(oracle, look, -1))
      assert.deepEqual(await finalState(tested), await finalState(oracle))
      for (const store of stores) await store.close()
    }),
    { numRuns: fc.readConfigureGlobal().numRuns ?? 200 },
  )
})
