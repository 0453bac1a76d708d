import { describe, expect, it } from 'vitest'
import { withNativeFacets } from '../../test/fixtures/native-facets.ts'
import { type MemoryStore, storeClosed } from '../contract/index.ts'
import { allScopes } from '../model/index.ts'
import { createIndex } from '../retrieval/in-process-index/index.ts'
import { memory } from '../stores/memory/index.ts'
import {
  type ConformanceCase,
  type ConformanceResult,
  type ConformanceTarget,
  conformanceCases,
  describeConformance,
  type Facets,
  facetCases,
  runConformance,
} from './index.ts'

const withNeeds = conformanceCases.filter(({ needs = [] }) => needs.length > 0)

async function results(target: ConformanceTarget, cases?: readonly ConformanceCase[]): Promise<ConformanceResult[]> {
  const found: ConformanceResult[] = []
  for await (const result of runConformance(target, cases)) found.push(result)
  return found
}

/** A view of a store that opens and closes on its own and leaves the data alone. */
function viewOf(store: MemoryStore): MemoryStore {
  let open = false
  const guarded = Object.entries(store).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member]
    return [name, async (...input: unknown[]) => (open ? member(...input) : Promise.reject(storeClosed('view')))]
  })
  return {
    ...(Object.fromEntries(guarded) as MemoryStore),
    async open() {
      open = true
    },
    async close() {
      open = false
    },
  }
}

const shared = new WeakMap<MemoryStore, MemoryStore>()

/** One memory store under several instances: what the cases for shared and durable data need to be tried at all. */
const instances: ConformanceTarget = {
  name: 'instances over one memory store',
  durable: true,
  async create() {
    const data = memory()
    await data.open()
    const view = viewOf(data)
    shared.set(view, data)
    return view
  },
  openSecond: (first) => viewOf(shared.get(first) as MemoryStore),
  holdCommit: async (store, transaction) => ({ release: () => store.commit(transaction) }),
}

describeConformance(
  instances,
  { describe, it },
  withNeeds.filter((each) => !facetCases.includes(each)),
)

/** The in-process index, brought up to date before every answer. */
function indexed(store: MemoryStore): Omit<Facets, 'graph'> {
  const index = createIndex(store, { space: 'test' })
  const synced =
    <A extends readonly unknown[], R>(ask: (...input: A) => Promise<R>) =>
    async (...input: A): Promise<R> => {
      await index.sync()
      return ask(...input)
    }
  return {
    text: { match: synced(index.text.match) },
    vectors: { nearest: synced(index.vectors.nearest) },
    turns: {
      actors: synced(index.turns.actors),
      describe: synced(index.turns.describe),
      arrivals: synced(index.turns.arrivals),
    },
  }
}

describeConformance(
  { name: 'the in-process index', create: memory, facets: ['text', 'vectors', 'turns'], facetsOf: indexed },
  { describe, it },
  facetCases.filter(({ needs = [] }) => !needs.includes('judges')),
)

const viewed = (store: MemoryStore): MemoryStore => withNativeFacets(store, { space: 'test' }).store

describeConformance(
  {
    name: 'a view with facets that judge',
    create: () => viewed(memory()),
    facets: ['text', 'vectors', 'turns'],
    judges: true,
  },
  { describe, it },
  facetCases,
)

/** Stores that break a promise, and the rules that must notice. */
const broken: Readonly<
  Record<string, readonly [sabotage: (store: MemoryStore) => Partial<MemoryStore>, rules: string[]]>
> = {
  'lists whatever scope': [
    (store) => ({ list: (_, query, options) => store.list(allScopes(), query, options) }),
    ['STO-SCO-1', 'STO-SCO-3', 'STO-SCO-4', 'STO-LST-11'],
  ],
  'shows the history of whatever scope': [
    (store) => ({ revisions: (_, id) => store.revisions(allScopes(), id) }),
    ['STO-SCO-2'],
  ],
  'erases whatever scope': [
    (store) => ({ erase: (_, ids, options) => store.erase(allScopes(), ids, options) }),
    ['STO-SCO-5'],
  ],
  'commits change by change': [
    (store) => ({
      async commit(transaction) {
        let last = await store.commit({ ...transaction, changes: transaction.changes.slice(0, 1) })
        for (const [i, change] of transaction.changes.slice(1).entries()) {
          last = await store.commit({
            id: `${transaction.id}-${i}`,
            at: transaction.at,
            verb: 'x',
            requires: [],
            changes: [change],
          })
        }
        return last
      },
    }),
    ['STO-COM-1', 'STO-COM-4', 'STO-LOG-1'],
  ],
  'checks no preconditions': [
    (store) => ({ commit: (transaction) => store.commit({ ...transaction, requires: [] }) }),
    ['STO-PRE-1', 'STO-PRE-2', 'STO-PRE-3', 'STO-PRE-5', 'STO-PRE-6', 'STO-COM-4'],
  ],
  'reads, waits and writes': [
    (store) => ({
      async commit(transaction) {
        const [required] = transaction.requires
        if (required?.type === 'version') {
          const [stored] = await store.get(allScopes(), [required.id])
          if ((stored?.record.version ?? null) === required.is) return store.commit({ ...transaction, requires: [] })
        }
        return store.commit(transaction)
      },
    }),
    ['STO-PRE-6'],
  ],
  'forgets idempotency keys': [
    (store) => ({ commit: (transaction) => store.commit({ ...transaction, idempotency: undefined }) }),
    ['STO-IDM-1', 'STO-IDM-2', 'STO-IDM-3', 'STO-IDM-4', 'STO-IDM-5'],
  ],
  'dates every version anew': [
    (store) => ({
      commit: (transaction) =>
        store.commit({
          ...transaction,
          changes: transaction.changes.map((change) =>
            change.type === 'put'
              ? { ...change, record: { ...change.record, createdAt: new Date(transaction.at).toISOString() } }
              : change,
          ),
        }),
    }),
    ['STO-VER-3', 'STO-COM-8'],
  ],
  'loses a log entry between pages': [
    (store) => ({
      async log(after, options) {
        const page = await store.log(after, options)
        return after === null ? page : { ...page, entries: page.entries.slice(1) }
      },
    }),
    ['STO-LOG-2', 'STO-LOG-3'],
  ],
  'takes any cursor': [
    (store) => ({ log: (after, options) => store.log(after, options).catch(() => store.log(null, options)) }),
    ['STO-LOG-4'],
  ],
  'knows no past': [
    (store) => ({
      get: (scope, ids) => store.get(scope, ids),
      list: (scope, query) => store.list(scope, query),
      links: (scope, ids) => store.links(scope, ids),
    }),
    ['STO-ASO-1', 'STO-ASO-2', 'STO-ASO-3', 'STO-ASO-5', 'STO-ASO-6'],
  ],
  'orders nothing': [
    (store) => ({
      async list(scope, query, options) {
        const page = await store.list(scope, { ...query, order: 'oldest' }, options)
        return { ...page, items: [...page.items].reverse() }
      },
    }),
    ['STO-LST-1', 'STO-LST-2'],
  ],
  'ends after one page': [
    (store) => ({ list: async (...input) => ({ ...(await store.list(...input)), more: false }) }),
    ['STO-LST-2'],
  ],
  'filters after it has limited': [
    (store) => ({
      async list(scope, query, options) {
        const { filter: _, tags: __, ...rest } = query
        const { items } = await store.list(scope, rest, options)
        const wanted = await store.list(scope, { ...query, limit: 10_000 }, options)
        const found = new Set(wanted.items.map(({ record }) => record.id))
        return { items: items.filter(({ record }) => found.has(record.id)), more: false }
      },
    }),
    ['STO-FLT-2'],
  ],
  'shows expired records': [
    (store) => ({
      list: (scope, query, options) => store.list(scope, { ...query, now: undefined }, options),
      stats: (scope, _, options) => store.stats(scope, { now: 0 }, options),
    }),
    ['STO-LST-9', 'STO-STA-1'],
  ],
  'only removes when it should erase': [
    (store) => ({
      async erase(_, ids) {
        const changes = ids.map((id) => ({ type: 'remove', op: 'delete', id }) as const)
        await store.commit({ id: 'the-erase', at: 0, verb: 'erase', requires: [], changes })
        return { records: 1, revisions: 1, vectors: 1, links: 1, journal: 1, idempotency: 1 }
      },
    }),
    ['STO-ERA-1', 'STO-ERA-2', 'STO-ERA-3', 'STO-ERA-4', 'STO-ERA-5', 'STO-ERA-6'],
  ],
  'erases under whatever id': [
    (store) => ({ erase: (scope, ids, { at, signal } = {}) => store.erase(scope, ids, { at, signal }) }),
    ['STO-ERA-9'],
  ],
  'stores stale vectors': [
    (store) => ({
      async derive(derivations, touched) {
        const stored = await store.get(
          allScopes(),
          derivations.map(({ id }) => id),
        )
        const current = derivations.map((each, i) => ({ ...each, version: stored[i]?.record.version ?? 0 }))
        return store.derive(current, touched)
      },
    }),
    ['STO-DER-2'],
  ],
  'ignores signals': [
    (store) => ({ verify: () => store.verify(), get: (scope, ids, { asOf } = {}) => store.get(scope, ids, { asOf }) }),
    ['STO-ABT-1'],
  ],
  'never closes': [(store) => ({ close: async () => void store }), ['STO-OPN-2']],
  'hands out what it keeps': [
    (store) => {
      const handedOut = new Map<string, ReturnType<MemoryStore['get']>>()
      return {
        get(scope, ids, options) {
          const call = JSON.stringify([ids, options])
          const answer = handedOut.get(call) ?? store.get(scope, ids, options)
          handedOut.set(call, answer)
          return answer
        },
      }
    },
    ['STO-ISO-2'],
  ],
  'cuts texts at NUL': [
    (store) => ({
      async get(...input) {
        const found = await store.get(...input)
        return found.map((stored) => {
          if (stored === null) return null
          const content = stored.record.content.split('\u0000')[0] as string
          return { ...stored, record: { ...stored.record, content } }
        })
      },
    }),
    ['STO-RND-1'],
  ],
  'rounds vectors': [
    (store) => ({
      async get(...input) {
        const found = await store.get(...input)
        return found.map((stored) => {
          if (!stored?.vector) return stored
          return {
            ...stored,
            vector: { ...stored.vector, values: stored.vector.values.map((x) => Math.round(x * 1e6) / 1e6) },
          }
        })
      },
    }),
    ['STO-RND-4'],
  ],
  'parts journal lines of one seq': [
    (store) => ({ journal: async (scope, query) => (await store.journal(scope, query)).slice(0, query.limit) }),
    ['STO-JRN-3'],
  ],
  'keeps links of removed records': [
    (store) => {
      const seen = new Map<string, Awaited<ReturnType<MemoryStore['links']>>[number]>()
      return {
        async links(...input) {
          for (const link of await store.links(...input)) seen.set(JSON.stringify(link), link)
          return [...seen.values()]
        },
        async commit(transaction) {
          for (const change of transaction.changes) {
            if (change.type === 'link') seen.set(JSON.stringify(change.link), change.link)
          }
          return store.commit(transaction)
        },
      }
    },
    ['STO-REM-3', 'STO-LNK-1'],
  ],
  'finds trouble in itself': [
    (store) => ({ verify: async () => [...(await store.verify()), { code: 'TROUBLE', message: 'there is' }] }),
    ['STO-COM-1'],
  ],
}

describe('the conformance suite itself', () => {
  for (const [flaw, [sabotage, rules]] of Object.entries(broken)) {
    it(`[CNF-1] notices a store that ${flaw}`, async () => {
      const create = () => {
        const store = memory()
        return { ...store, ...sabotage(store) }
      }
      const cases = conformanceCases.filter(({ rule }) => rules.includes(rule))
      const outcomes = await results({ name: flaw, create }, cases)
      expect(outcomes.map(({ rule, outcome }) => `${rule} ${outcome}`).sort()).toEqual(
        rules.map((rule) => `${rule} failed`).sort(),
      )
    })
  }

  it('[CNF-2] every case has a rule of its own and says it in a sentence of its own', () => {
    for (const { rule, title } of conformanceCases) {
      expect(rule).toMatch(/^STO-[A-Z]{3}-\d+$/)
      expect(title.length).toBeGreaterThan(20)
    }
    expect(new Set(conformanceCases.map(({ rule }) => rule)).size).toBe(conformanceCases.length)
    expect(new Set(conformanceCases.map(({ title }) => title)).size).toBe(conformanceCases.length)
  })

  it('[CNF-3] a case that needs what the store has not got is not asked, and says so', async () => {
    const outcomes = await results({ name: 'memory', create: memory }, withNeeds)
    expect(outcomes.length).toBe(withNeeds.length)
    for (const { outcome, reason } of outcomes)
      expect([outcome, reason]).toEqual(['not asked', expect.stringMatching(/^needs /)])
  })

  it('[CNF-4] a known gap must fail: it is a failure once the rule holds, and naming no rule is an error', async () => {
    const cases = conformanceCases.filter(({ rule }) => rule === 'STO-JRN-3')
    const knownGaps = [{ rule: 'STO-JRN-3', reason: 'not yet' }]
    const parts = () => {
      const store = memory()
      return {
        ...store,
        journal: async (...input: Parameters<MemoryStore['journal']>) => (await store.journal(...input)).slice(0, 1),
      }
    }
    const [gap] = await results({ name: 'gap', create: parts, knownGaps }, cases)
    expect(gap).toMatchObject({ outcome: 'gap', reason: 'not yet' })
    const [closed] = await results({ name: 'closed gap', create: memory, knownGaps }, cases)
    expect(closed).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('knownGaps') })
    const unknown = { name: 'unknown', create: memory, knownGaps: [{ rule: 'STO-XXX-1', reason: 'x' }] }
    await expect(results(unknown)).rejects.toThrow('STO-XXX-1')
  })

  it('[CNF-5] every store that was opened is closed and destroyed, also after a failure', async () => {
    const events: string[] = []
    const create = () => {
      const store = memory()
      return {
        ...store,
        close: async () => void events.push('closed'),
        list: () => Promise.reject(new Error('broken')),
      }
    }
    const destroy = () => void events.push('destroyed')
    const [result] = await results(
      { name: 'broken', create, destroy },
      conformanceCases.filter(({ rule }) => rule === 'STO-LST-1'),
    )
    expect(result).toMatchObject({ outcome: 'failed', reason: 'broken' })
    expect(events).toEqual(['closed', 'destroyed'])
  })
})
