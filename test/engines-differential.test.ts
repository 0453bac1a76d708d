import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import { MnemeError } from '../src/errors/index.ts'
import { type MemoryEngine, type MemoryRecord, openMemory, type SearchResult } from '../src/index.ts'
import { bolt } from '../src/stores/bolt/index.ts'
import { memory } from '../src/stores/memory/index.ts'
import { postgres } from '../src/stores/postgres/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { tiered } from '../src/stores/tiered/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import {
  memoryOf,
  patchOf,
  type Random,
  randomOf,
  scopeOf,
  scopes,
  searchOf,
  switchedEmbedder,
} from './fixtures/search-programs.ts'
import { boltUrl, freshName, postgresUrl, redisUrl } from './fixtures/servers.ts'

// The same memories, changes and questions for engines over all sorts of stores: those that search by themselves and those that do not.

const [postgresAt, redisAt, boltAt] = [await postgresUrl(), await redisUrl(), await boltUrl()]
const seed = Number(process.env.MNEME_FUZZ_SEED ?? Date.now() % 1_000_000)
/** Changes, each followed by some questions. A soak asks for more. */
const changes = Math.max(15, Math.ceil(Number(process.env.MNEME_FUZZ_RUNS ?? 0) / 10))

const stores: readonly (readonly [name: string, urls: readonly (string | null)[], make: () => MemoryStore])[] = [
  ['sqlite', [], () => sqlite({ path: ':memory:' })],
  ['postgres', [postgresAt], () => postgres({ url: postgresAt!, schema: freshName(), poolSize: 4 })],
  ['bolt', [boltAt], () => bolt({ url: boltAt!, namespace: freshName() })],
  [
    'tiered over postgres',
    [redisAt, postgresAt],
    () =>
      tiered({
        hot: redis({ url: redisAt!, prefix: freshName() }),
        cold: postgres({ url: postgresAt!, schema: freshName(), poolSize: 4 }),
      }),
  ],
]

const open: MemoryEngine[] = []
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close()
})

const clock = fixedClock()
const embedder = switchedEmbedder(true)

async function engineOver(store: MemoryStore): Promise<MemoryEngine> {
  let made = 0
  const engine = await openMemory({ store, clock, embedder, ids: () => `g${++made}` })
  open.push(engine)
  await engine.start()
  return engine
}

/** What comes of it, or the code of its refusal. */
async function outcome<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work
  } catch (error) {
    if (!MnemeError.is(error)) throw error
    return error.code
  }
}

/** Uses are counted a little later, so at no given moment by two engines alike. */
function withoutUses({ accessCount: _, lastAccessedAt: __, ...record }: MemoryRecord): object {
  return record
}

type Change = (engine: MemoryEngine) => Promise<unknown>

/** A change of one of the memories there, or some new ones. */
function changeOf(
  random: Random,
  ids: readonly { readonly id: string; readonly place: number }[],
  first: number,
): Change {
  const now = clock()
  const place = random.below(scopes.length)
  const known = random.oneIn(2) && ids.length > 0 ? random.pick(ids) : null
  if (known === null) {
    const memories = Array.from({ length: 1 + random.below(15) }, (_, i) =>
      memoryOf(random, (first + i) * scopes.length + place, now, true),
    )
    return (engine) => engine.addMany(memories, { scope: scopeOf(place), ifExists: 'update' })
  }
  const on = { scope: scopeOf(known.place) }
  const patch = patchOf(random, now)
  const replacement = memoryOf(random, (first + 1) * scopes.length + known.place, now, true)
  return random.pick<Change>([
    (engine) => engine.update(known.id, patch, on),
    (engine) => engine.supersede(known.id, replacement, on),
    (engine) => engine.invalidate(known.id, on),
    (engine) => engine.restore(known.id, on),
    (engine) => engine.delete(known.id, on),
  ])
}

function sameHits(found: SearchResult | string, expected: SearchResult | string, what: string): void {
  if (typeof expected === 'string' || typeof found === 'string') {
    assert.equal(found, expected, what)
    return
  }
  assert.deepEqual(
    found.results.map(({ id }) => id),
    expected.results.map(({ id }) => id),
    what,
  )
  for (const [i, { id, score }] of expected.results.entries()) {
    const other = found.results[i]?.score ?? Number.NaN
    assert.ok(Math.abs(other - score) <= 1e-6, `${what}: ${id} has ${other} and not ${score}`)
  }
}

describe(`engines with seed ${seed}`, () => {
  for (const [name, urls, make] of stores) {
    it.skipIf(urls.includes(null))(`[SRV-18] over ${name} answer as in memory`, { timeout: 3_600_000 }, async () => {
      const random = randomOf(seed)
      const [expected, tested] = [await engineOver(memory()), await engineOver(make())]
      const moments: number[] = []
      let hits = 0
      for (let round = 0; round < changes; round += 1) {
        const there = await expected.list({ allScopes: true, status: 'any', limit: 1000 })
        const ids = there.records.map(({ id, scope }) => ({
          id,
          place: scopes.findIndex((one) => JSON.stringify(one) === JSON.stringify(scope)),
        }))
        const change = changeOf(
          random,
          ids.filter(({ place }) => place >= 0),
          100 * round,
        )
        const outcomes = [await outcome(change(expected)), await outcome(change(tested))]
        const codes = outcomes.map((one) => (typeof one === 'string' ? one : 'done'))
        assert.equal(codes[1], codes[0], `change ${round}`)
        moments.push(clock())
        clock.advance(1 + random.below(3) * 60_000)
        for (let question = 0; question < 4; question += 1) {
          const { query, options } = searchOf(random, clock(), true, moments)
          const wanted = await outcome(expected.search(query, options))
          const found = await outcome(tested.search(query, options))
          sameHits(found, wanted, `round ${round}, question ${question}: ${JSON.stringify([query, options])}`)
          if (typeof wanted !== 'string') hits += wanted.results.length
        }
        const listing = { scope: { userId: 'ann' }, limit: 20, order: random.pick(['newest', 'importance'] as const) }
        const lists = [await expected.list(listing), await tested.list(listing)]
        const [wantedList, foundList] = lists.map((list) => list?.records.map(withoutUses))
        assert.deepEqual(foundList, wantedList, `list ${round}`)
        const asked = { scope: { userId: 'ann' }, budget: { tokens: 200 } }
        const contexts = [
          await expected.context('garden lantern', asked),
          await tested.context('garden lantern', asked),
        ]
        assert.equal(contexts[1]?.text, contexts[0]?.text, `context ${round}`)
      }
      assert.ok(hits > changes, 'hardly anything was found, so hardly anything was compared')
      console.log(`${name}: ${changes} changes, ${4 * changes} searches with ${hits} hits, seed ${seed}`)
    })
  }

  it.skipIf(postgresAt === null)(
    '[SRV-18] of more than a thousand vectors scores are within 1e-2, and only near hits change places',
    async () => {
      const engines = [
        await engineOver(memory()),
        await engineOver(postgres({ url: postgresAt!, schema: freshName() })),
      ]
      const words = ['garden', 'lantern', 'cello', 'harbour', 'ledger', 'violin', 'orchard', 'kettle']
      const random = randomOf(seed)
      for (let session = 0; session < 6; session += 1) {
        const content = () => Array.from({ length: 2 + random.below(4) }, () => random.pick(words)).join(' ')
        const many = Array.from({ length: 200 }, (_, i) => ({ content: `${content()} ${session} ${i}` }))
        for (const engine of engines) await engine.addMany(many, { scope: { userId: 'ann', sessionId: `s${session}` } })
      }
      for (const mode of ['vector', 'hybrid'] as const) {
        const asked = { scope: { userId: 'ann' }, mode, limit: 150, touch: false }
        const [one, other] = await Promise.all(engines.map((engine) => engine.search('garden cello', asked)))
        assert.equal(one?.results.length, 150)
        assert.equal(other?.results.length, 150)
        const scores = new Map(other?.results.map(({ id, score }) => [id, score]))
        for (const [i, { id, score }] of (one?.results ?? []).entries()) {
          const there = other?.results[i]?.score ?? Number.NaN
          assert.ok(Math.abs(there - score) <= 1e-2, `${mode}: place ${i} has ${there} and not ${score}`)
          assert.ok(Math.abs((scores.get(id) ?? there) - score) <= 1e-2, `${mode}: ${id}`)
        }
      }
    },
  )
})
