import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareIds, type MemoryStore, type SearchWindow, type StoredRecord, type Turn } from '../../contract/index.ts'
import {
  allScopes,
  anyOf,
  exactly,
  isExpired,
  matchesScope,
  momentOf,
  type Scope,
  type ScopeFilter,
  type Status,
  scopeKey,
  statuses,
  within,
  withShared,
} from '../../model/index.ts'
import { memory } from '../../stores/memory/index.ts'
import { put, transaction, unitVector } from '../../testing/index.ts'
import { normalise } from '../../vector/index.ts'
import { createIndex, type InProcessIndex, indexOf, type SearchFacets } from './index.ts'

// Everything an index answers, worked out from the plain list of records in the order in which they were first written.

interface Query {
  readonly terms: readonly string[]
  readonly tokens: readonly number[]
  readonly vector: Float32Array
}

function visibleOf(records: readonly StoredRecord[], filter: ScopeFilter, window: SearchWindow): StoredRecord[] {
  return records.filter(
    ({ record }) =>
      matchesScope(filter, record.scope) && window.statuses.includes(record.status) && !isExpired(record, window.now),
  )
}

function narrowed(records: readonly StoredRecord[], { kinds, only }: SearchWindow): StoredRecord[] {
  return records.filter(
    ({ record }) => (kinds === undefined || kinds.includes(record.kind)) && (only === undefined || only.has(record.id)),
  )
}

function hasVector({ vector }: StoredRecord): boolean {
  return vector !== null && vector.space === 'test' && vector.values.some((value) => value !== 0)
}

const isSearched = ({ analysis }: StoredRecord): boolean => analysis.terms.length > 0
const frequencyOf = ({ analysis }: StoredRecord, term: string): number =>
  analysis.terms.find(([other]) => other === term)?.[1] ?? 0
const lengthOf = ({ analysis }: StoredRecord): number => analysis.terms.reduce((sum, [, count]) => sum + count, 0)

function bm25(stored: StoredRecord, terms: readonly string[], visible: readonly StoredRecord[]): number {
  const documents = visible.filter(({ analysis }) => analysis.terms.length > 0)
  const average = documents.reduce((sum, other) => sum + lengthOf(other), 0) / documents.length
  return terms.reduce((sum, term) => {
    const frequency = frequencyOf(stored, term)
    if (frequency === 0) return sum
    const length = 1.2 * (1 - 0.75 + (0.75 * lengthOf(stored)) / average)
    return sum + (naiveIdf(term, documents) * frequency * 2.2) / (frequency + length)
  }, 0)
}

function naiveIdf(term: string, documents: readonly StoredRecord[]): number {
  const having = documents.filter((other) => frequencyOf(other, term) > 0).length
  return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))
}

/** Of single precision unit vectors, as a store keeps them. */
function cosineOf({ vector }: StoredRecord, query: Float32Array): number {
  const unit = normalise(query)
  const product = vector!.values.reduce((sum, value, i) => sum + value * unit[i]!, 0)
  return Math.max(-1, Math.min(1, product))
}

function actorOf({ source }: StoredRecord['record']): { name: string; role: string } | null {
  const role = source.type === 'user' || source.type === 'assistant' ? source.type : 'other'
  if (source.actor !== undefined) return { name: source.actor, role }
  return role === 'other' ? null : { name: role, role }
}

function turnOf(stored: StoredRecord, visible: readonly StoredRecord[], query: Query): Turn {
  const { record, analysis } = stored
  const isTurn = record.scope.sessionId !== undefined && isSearched(stored)
  const thread = visible
    .map((other, arrival) => ({ other, arrival }))
    .filter(({ other }) => scopeKey(other.record.scope) === scopeKey(record.scope) && isSearched(other))
    .sort((a, b) => momentOf(a.other.record) - momentOf(b.other.record) || a.arrival - b.arrival)
  return {
    id: record.id,
    tokens: analysis.tokens,
    shape: analysis.shape,
    actor: actorOf(record)?.name ?? null,
    thread: isTurn ? scopeKey(record.scope) : null,
    position: isTurn ? thread.findIndex(({ other }) => other === stored) : 0,
    cosine: hasVector(stored) ? cosineOf(stored, query.vector) : null,
    bm25: bm25(stored, query.terms, visible),
    createdAt: Date.parse(record.createdAt),
    importance: record.importance,
    reliability: record.reliability,
    keyMatch: true,
  }
}

/** Equal ids in equal order with equal scores; which of two records within a rounding of each other is first may differ. */
function expectHits(
  hits: readonly { readonly id: string; readonly score: number }[],
  expected: readonly { readonly id: string; readonly score: number }[],
  limit: number,
  tolerance = 1e-9,
): void {
  const ranked = [...expected].sort((a, b) => b.score - a.score || compareIds(a.id, b.id))
  expect(hits.length).toBe(Math.min(limit, ranked.length))
  hits.forEach((hit, i) => {
    expect(Math.abs(hit.score - ranked[i]!.score)).toBeLessThan(tolerance)
    expect(Math.abs(hit.score - ranked.find(({ id }) => id === hit.id)!.score)).toBeLessThan(tolerance)
    const next = hits[i + 1]
    if (next === undefined) return
    expect(hit.score > next.score || (hit.score === next.score && compareIds(hit.id, next.id) < 0)).toBe(true)
  })
}

async function answers(
  index: SearchFacets,
  ids: readonly string[],
  scope: ScopeFilter,
  window: SearchWindow,
  query: Query,
) {
  const nearest = await index.vectors.nearest(scope, 'test', query.vector, window)
  const actors = await index.turns.actors(scope, window)
  const details = await index.turns.describe(scope, { keyed: ids }, { ...query, space: 'test' }, window)
  const text = await index.text.match(scope, query.terms, window)
  return { text, nearest, actors, details }
}

async function expectNaive(
  index: SearchFacets,
  records: readonly StoredRecord[],
  ids: readonly string[],
  scope: ScopeFilter,
  window: SearchWindow,
  query: Query,
): Promise<void> {
  const { text, nearest, actors, details } = await answers(index, ids, scope, window, query)
  const visible = visibleOf(records, scope, window)
  const findable = narrowed(visible, window)

  const documents = visible.filter(({ analysis }) => analysis.terms.length > 0)
  expect(text.documents).toBe(documents.length)
  query.terms.forEach((term, i) => {
    expect(text.idfs[i]).toBeCloseTo(naiveIdf(term, documents), 9)
  })
  const scored = findable.map((stored) => ({ id: stored.record.id, score: bm25(stored, query.terms, visible) }))
  expectHits(
    text.hits,
    scored.filter(({ score }) => score > 0),
    window.limit,
  )

  const embedded = visible.filter(hasVector)
  expect(nearest.vectors).toBe(embedded.length)
  const sum = embedded.reduce((total, stored) => total + cosineOf(stored, query.vector), 0)
  expect(nearest.meanCosine).toBeCloseTo(embedded.length === 0 ? 0 : sum / embedded.length, 6)
  expectHits(
    nearest.hits.map(({ id, cosine }) => ({ id, score: cosine })),
    narrowed(embedded, window).map((stored) => ({
      id: stored.record.id,
      score: cosineOf(stored, query.vector),
    })),
    window.limit,
    // Single precision.
    1e-6,
  )

  const names = visible.filter(isSearched).flatMap(({ record }) => actorOf(record) ?? [])
  const distinct = new Map(names.map((actor) => [JSON.stringify(actor), actor]))
  expect([...actors].sort(byJson)).toEqual([...distinct.values()].sort(byJson))

  const described = ids.flatMap((id) => visible.find(({ record }) => record.id === id) ?? [])
  expect(details.turns.map(({ id }) => id)).toEqual(described.map(({ record }) => record.id))
  details.turns.forEach((turn, i) => {
    const { bm25: score, cosine, ...expected } = turnOf(described[i]!, visible, query)
    expect(turn).toMatchObject(expected)
    expect(Math.abs(turn.bm25 - score)).toBeLessThan(1e-9)
    if (cosine === null) expect(turn.cosine).toBeNull()
    else expect(turn.cosine).toBeCloseTo(cosine, 6)
  })
  expect(details.tokenFrequencies).toEqual(
    query.tokens.map((token) => visible.filter(({ analysis }) => analysis.tokens.includes(token)).length),
  )
  const withTokens = visible.filter(({ analysis }) => analysis.tokens.length > 0)
  const tokens = withTokens.reduce((total, { analysis }) => total + analysis.tokens.length, 0)
  expect(details.averageTokens).toBeCloseTo(withTokens.length === 0 ? 0 : tokens / withTokens.length, 9)
}

const byJson = (a: unknown, b: unknown): number => compareIds(JSON.stringify(a), JSON.stringify(b))

const scopes: readonly Scope[] = [
  { userId: 'ann' },
  { userId: 'ann', sessionId: 's1' },
  { userId: 'ann', sessionId: 's2', namespace: ['x'] },
  { userId: 'ann', namespace: ['x', 'y'] },
  { userId: 'bob', sessionId: 's1' },
  { appId: 'app', userId: 'ann', sessionId: 's1' },
  { agentId: 'helper' },
]
const filters: readonly ScopeFilter[] = [
  within({ userId: 'ann' }),
  within({ sessionId: 's1' }),
  within({ userId: 'ann', namespace: ['x'] }),
  within({ namespace: ['x', 'y'] }),
  exactly({ userId: 'ann', sessionId: 's1' }),
  exactly({ userId: 'nobody' }),
  withShared({ userId: 'ann', sessionId: 's2', namespace: ['x'] }),
  anyOf([within({ agentId: 'helper' }), exactly({ userId: 'bob', sessionId: 's1' })]),
  allScopes(),
]
const terms = ['tea', 'cake', 'rain', 'dog', '茶']
const kinds = ['semantic', 'episodic', 'kv', '_note']
const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000
const at = (hours: number): string => new Date(start + hours * hour).toISOString()

const anId = fc.nat(13).map((n) => ({ id: `r${n}`, scope: scopes[n % scopes.length]! }))
const aTerm = fc.constantFrom(...terms)
const aVector = fc.tuple(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -1, max: 1 }),
)
const aPut = fc.record({
  type: fc.constant('put' as const),
  of: anId,
  kind: fc.constantFrom(...kinds),
  status: fc.constantFrom(...statuses, ...Array.from({ length: 8 }, () => 'live' as const)),
  expires: fc.option(fc.integer({ min: 1, max: 6 })),
  event: fc.option(fc.integer({ min: -5, max: 5 })),
  type2: fc.constantFrom('user' as const, 'assistant' as const, 'web' as const),
  actor: fc.option(fc.constantFrom('Ann', 'Bob')),
  terms: fc.uniqueArray(fc.tuple(aTerm, fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 60, max: 70 }))), {
    selector: ([term]) => term,
  }),
  tokens: fc.uniqueArray(fc.integer({ min: 1, max: 70_000 }).map((n) => n % 9)),
  shape: fc.nat(63),
  vector: fc.option(fc.record({ space: fc.constantFrom('test', 'test', 'other'), direction: aVector })),
})
const anAction = fc.oneof(
  {
    arbitrary: fc.array(aPut, { minLength: 1, maxLength: 4 }).map((puts) => ({ type: 'commit' as const, puts })),
    weight: 6,
  },
  { arbitrary: fc.record({ type: fc.constant('remove' as const), of: anId }), weight: 2 },
  {
    arbitrary: fc.record({ type: fc.constant('erase' as const), of: fc.array(anId, { minLength: 1, maxLength: 2 }) }),
    weight: 1,
  },
  { arbitrary: fc.record({ type: fc.constant('derive' as const), of: anId, direction: aVector }), weight: 2 },
  { arbitrary: fc.record({ type: fc.constant('sync' as const) }), weight: 2 },
  { arbitrary: fc.record({ type: fc.constant('look' as const) }), weight: 4 },
  { arbitrary: fc.record({ type: fc.constant('reopen' as const) }), weight: 1 },
)
const aSearch = fc.record({
  filter: fc.constantFrom(...filters, ...filters.slice(0, 2), allScopes()),
  statuses: fc.oneof(
    { arbitrary: fc.constant<Status[]>(['live']), weight: 3 },
    { arbitrary: fc.subarray([...statuses]), weight: 1 },
  ),
  now: fc.integer({ min: 0, max: 7 }).map((hours) => start + hours * hour),
  kinds: fc.option(fc.subarray(kinds), { nil: undefined }),
  only: fc.option(
    fc.array(anId.map(({ id }) => id)).map((ids) => new Set(ids)),
    { nil: undefined },
  ),
  limit: fc.constantFrom(0, 1, 3, 100),
  terms: fc.array(fc.oneof(aTerm, fc.constant('absent')), { maxLength: 4 }),
  tokens: fc.array(fc.nat(9), { maxLength: 4 }),
  vector: aVector
    .filter((direction) => direction.some((value) => value !== 0))
    .map((direction) => Float32Array.from(direction)),
})

type Action = typeof anAction extends fc.Arbitrary<infer A> ? A : never

/** A store with an order of first writes beside it. */
async function play(action: Action, store: MemoryStore, arrivals: Set<string>, n: number): Promise<void> {
  const changes = []
  if (action.type === 'commit') {
    for (const { of, ...fields } of action.puts) {
      const { expires, event, actor, type2, vector } = fields
      changes.push(
        put(
          {
            ...of,
            kind: fields.kind,
            status: fields.status,
            source: { type: type2, ...(actor === null ? {} : { actor }) },
            ...(expires === null ? {} : { expiresAt: at(expires) }),
            ...(event === null ? {} : { eventTime: { start: at(event) } }),
          },
          {
            analysis: { analyser: 'test', terms: fields.terms, tokens: fields.tokens, shape: fields.shape },
            vector: vector && unitVector(vector.direction, vector.space),
          },
        ),
      )
      arrivals.add(of.id)
    }
  } else if (action.type === 'remove') {
    changes.push({ type: 'remove' as const, op: 'delete' as const, id: action.of.id })
    arrivals.delete(action.of.id)
  } else if (action.type === 'erase') {
    const ids = action.of.map(({ id }) => id)
    await store.erase(allScopes(), ids)
    for (const id of ids) arrivals.delete(id)
  } else if (action.type === 'derive') {
    const { id } = action.of
    const [stored] = await store.get(allScopes(), [id])
    // Only vectors that are missing come late.
    if (!stored || stored.vector?.space === 'test' || stored.analysis.terms.length === 0) return
    await store.derive([{ id, version: stored.record.version, vector: unitVector(action.direction) }])
  }
  if (changes.length > 0) await store.commit(transaction({ id: `t${n}`, at: start + n, changes }))
}

describe('in-process index', () => {
  it('[IDX-1] whatever was written, it answers as if worked out from the plain list of records', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anAction, { maxLength: 40, size: 'max' }),
        fc.array(aSearch, { minLength: 1, maxLength: 4 }),
        async (actions, searches) => {
          const store = memory()
          await store.open()
          const arrivals = new Set<string>()
          const ids = scopes.flatMap((_, n) => [`r${n + 7}`, `r${n}`, 'unknown'])
          const fresh = (): InProcessIndex => createIndex(store, { space: 'test', segmentSlots: 5 })
          let index = fresh()
          for (const [n, action] of actions.entries()) {
            if (action.type === 'sync') await index.sync()
            else if (action.type === 'look') {
              // What a search works out is kept for the next one.
              await index.sync()
              for (const { filter, ...search } of searches) await answers(index, ids, filter, search, search)
            } else if (action.type === 'reopen') index = fresh()
            else await play(action, store, arrivals, n)
          }
          await index.sync()
          const replayed = fresh()
          await replayed.sync()
          expect(await index.check(store)).toEqual([])
          const records = (await store.get(allScopes(), [...arrivals])).map((stored) => stored!)
          expect(index.size).toBe(records.length)
          for (const { filter, terms: asked, tokens, vector, ...window } of searches) {
            const query = { terms: asked, tokens, vector }
            await expectNaive(index, records, ids, filter, window, query)
            await expectNaive(indexOf(records), records, ids, filter, window, query)
            // Not a bit depends on whether the log was read at once or by and by.
            expect(await answers(replayed, ids, filter, window, query)).toEqual(
              await answers(index, ids, filter, window, query),
            )
          }
          await store.close()
        },
      ),
      { numRuns: 100 },
    )
  })
})
