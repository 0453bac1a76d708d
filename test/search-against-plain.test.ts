import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { AsOf } from '../src/contract/index.ts'
import type { MemoryEngine, SearchHit, SearchResult } from '../src/index.ts'
import { type PlainHit, type PlainResult, plainSearch, plainStage, type World } from './fixtures/plain-search.ts'
import { runs } from './fixtures/reference-runs.ts'
import { type Asked, embed, type Random, randomOf, searchOf } from './fixtures/search-programs.ts'
import { Changes, Sides } from './fixtures/search-sides.ts'

// Every answer of a search is compared with that of `plainSearch`, which looks at every record. A failure is repeated by its seed:
// fast-check prints it, MNEME_FUZZ_SEED sets it, and MNEME_FUZZ_RUNS asks for more programs.

/** What a soak asks for is spent on short programs; of the longer ones, each as long as twenty, it tries some more. */
const shortRuns = runs(20).numRuns
const longRuns = Math.max(45, Math.ceil(shortRuns / 40))
const wideRuns = Math.max(3, Math.ceil(shortRuns / 400))

/** Shrinking a failure ends then; one of the longest runs takes a minute. */
const patienceFor = (programs: number): number => 600_000 + programs * 5000

/** Searches beside which nothing was ever compared would prove nothing. */
async function check(program: fc.Arbitrary<Program>, numRuns: number, asMade?: (asked: Asked) => Asked): Promise<void> {
  const before = counts.programs
  await fc.assert(
    fc.asyncProperty(program, (given) => run(given, asMade)),
    { numRuns, interruptAfterTimeLimit: patienceFor(numRuns), markInterruptAsFailure: true },
  )
  expect(counts.programs - before).toBeGreaterThanOrEqual(numRuns)
}

const counts = {
  programs: 0,
  searches: 0,
  answers: 0,
  hits: 0,
  laterPages: 0,
  ofThePast: 0,
  wide: 0,
  degraded: 0,
  explained: 0,
  records: 0,
}

const asIs = (result: SearchResult) =>
  result.results.map(({ id, score, explanation }) => ({ id, score, ...explanation, ran: null }))

/**
 * How far the engine's numbers may be from the plain ones: cosines of single precision are right to 1e-7, and what is derived from
 * them is so much less exact as they lie close together. Products that are exact make all else exact.
 */
const toleranceOf = (exact: boolean, { spread }: PlainResult): number =>
  exact ? 1e-9 : 1e-6 + 4e-6 / Math.max(Math.abs(spread), 1e-6)

const numbersOf = ({ score, explanation: { relevance, value, signals, factors } }: PlainHit | Required<SearchHit>) => ({
  score,
  relevance,
  value,
  ...signals,
  ...factors,
})

/**
 * Equal ids in equal order with equal numbers; which of two that are within a rounding of each other comes first may differ.
 * Where scores are equal to the bit on both sides, the rank value decides, and with it the same is so.
 */
function expectHits(
  actual: readonly SearchHit[],
  expected: readonly PlainHit[],
  from: number,
  tolerance: number,
): void {
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= tolerance
  const places = new Map(expected.map((hit, place) => [hit.id, place]))
  const wanted = expected.slice(from, from + actual.length)
  const isNear = (hit: SearchHit, i: number): boolean => {
    const own = expected[places.get(hit.id) ?? -1]
    const there = wanted[i]
    if (own === undefined || there === undefined) return false
    if (own !== there) {
      const other = actual.find(({ id }) => id === there.id)
      // Of one on another page the engine's score is not seen here: it may be a rounding away from what is equal on the plain side.
      const tied = own.score === there.score && other?.score === hit.score
      if (!near(own.score, there.score)) return false
      if (tied && !near(own.explanation.value, there.explanation.value)) return false
    }
    const is = numbersOf(hit as Required<SearchHit>)
    const asked = numbersOf(own)
    const names = Object.keys(asked) as (keyof typeof asked)[]
    return hit.explanation?.rank === from + i + 1 && names.every((name) => near(is[name], asked[name]))
  }
  const wrong = actual.findIndex((hit, i) => !isNear(hit, i))
  if (wrong >= 0) {
    const listed = (hits: readonly (PlainHit | SearchHit)[]) => hits.map(({ id, score }) => `${id} ${score.toFixed(7)}`)
    const hit = actual[wrong] as Required<SearchHit>
    const own = expected[places.get(hit.id) ?? -1]
    expect({ hits: listed(actual), wrong: { id: hit.id, ...numbersOf(hit), rank: hit.explanation.rank } }).toEqual({
      hits: listed(wanted),
      wrong: { id: hit.id, ...(own && numbersOf(own)), rank: from + wrong + 1 },
    })
    expect.unreachable('what is shown is equal, and what is not shown is not')
  }
  counts.hits += actual.length
}

/** The pages of one search in one engine, the first of them there already. */
async function expectPages(
  engine: MemoryEngine,
  { query, options }: Asked,
  first: SearchResult,
  expected: PlainResult,
  tolerance: number,
  mostPages: number,
): Promise<void> {
  const { limit = 10 } = options
  let page = first
  let from = 0
  for (let pages = 1; ; pages++) {
    expect({ query, options, from, shown: page.results.length }).toEqual({
      query,
      options,
      from,
      shown: Math.min(limit, expected.hits.length - from),
    })
    expectHits(page.results, expected.hits, from, tolerance)
    from += page.results.length
    // A wider gathering may turn out to find nothing.
    if (page.nextCursor === undefined) expect(from).toBe(expected.hits.length)
    else if (!expected.wide) expect(from).toBeLessThan(expected.hits.length)
    if (page.nextCursor === undefined || page.results.length === 0 || pages >= mostPages) return
    page = await engine.search(query, { ...options, cursor: page.nextCursor })
    counts.laterPages++
  }
}

/** What `explain` says of a record is what the search did with it. */
async function expectExplained(
  engine: MemoryEngine,
  world: World,
  id: string | undefined,
  { query, options: { explain: _, ...options } }: Asked,
  expected: PlainResult,
): Promise<void> {
  if (id === undefined) return
  const { stage, rank, score } = await engine.explain(query, id, options)
  const place = expected.hits.findIndex((hit) => hit.id === id)
  expect({ stage, isScored: score !== undefined && rank !== undefined }).toEqual({
    stage: plainStage(world, id, options, expected),
    isScored: place >= 0,
  })
  counts.explained++
}

async function expectPlain(
  sides: Sides,
  changes: Changes,
  random: Random,
  exact: boolean,
  asked: Asked,
): Promise<void> {
  const { clock, embedder } = sides
  const { query, options } = asked
  const { asOf, vector, mode } = options
  const time: AsOf | undefined = asOf === undefined ? undefined : { time: Date.parse(asOf) }
  const was = embedder.down
  const isDown = was === 'query'
  const records = await sides.records(time)
  const world = {
    records,
    now: asOf === undefined ? clock() : Date.parse(asOf),
    embed: (text: string) => (isDown ? null : embed(text, exact)),
  }
  const expected = plainSearch(world, query, options)
  const degraded = isDown && vector === undefined && mode !== 'text' && query.trim() !== ''
  // One of them compares every vector because it was asked to.
  const ways = [0, 1, 2].map((which) => ({ which, asked }))
  ways.push({ which: random.below(3), asked: { query, options: { ...options, exact: true } } })
  const answers: { readonly which: number; readonly asked: Asked; readonly result: SearchResult }[] = []
  for (const way of ways) {
    const result = await sides.engines[way.which]!.search(query, way.asked.options)
    answers.push({ ...way, result })
  }
  const answer = answers[0]!.result
  for (const { result } of answers) {
    expect(result.degraded?.map(({ stage, code }) => [stage, code])).toEqual(
      degraded ? [['embedder', 'EMBEDDER_UNAVAILABLE']] : undefined,
    )
    // To the bit, whoever answers.
    expect(asIs(result)).toEqual(asIs(answer))
  }
  if (!expected.wide)
    await expectExplained(random.pick(sides.engines), world, random.pick(records)?.record.id, asked, expected)
  const now = clock()
  if (random.oneIn(6)) await changes.any(random)
  const later = clock()
  const left = new Set((await sides.records()).map(({ record }) => record.id))
  // Nothing of what was removed is left in the past either, and of an embedder there is only the present one.
  const isKept = records.every(({ record }) => left.has(record.id)) && embedder.down === was
  // They are of the same moment, though engines may have been opened again meanwhile.
  clock.set(now)
  for (const { which, asked: way, result } of answers)
    await expectPages(sides.engines[which]!, way, result, expected, toleranceOf(exact, expected), isKept ? 4 : 1)
  clock.set(later)
  counts.searches++
  counts.records = Math.max(counts.records, records.length)
  counts.answers += answers.length
  counts.ofThePast += Number(asOf !== undefined)
  counts.wide += Number(expected.wide)
  counts.degraded += Number(degraded)
}

interface Program {
  readonly seed: number
  /** Records to begin with. */
  readonly size: number
  readonly steps: number
  /** Vectors whose products are exact, and often equal. */
  readonly exact: boolean
  readonly segmentSlots: number
}

const programsOf = (size: fc.Arbitrary<number>, leastSteps: number, mostSteps: number): fc.Arbitrary<Program> =>
  fc.record({
    seed: fc.nat(),
    size,
    steps: fc.integer({ min: leastSteps, max: mostSteps }),
    exact: fc.boolean(),
    segmentSlots: fc.integer({ min: 2, max: 40 }),
  })

/** @param asMade how searches are asked, from what the program makes of them */
async function run(
  { seed, size, steps, exact, segmentSlots }: Program,
  asMade = (asked: Asked) => asked,
): Promise<void> {
  const sides = await new Sides(exact, segmentSlots).open()
  const changes = new Changes(sides, exact)
  try {
    for (let n = 0, left = size; left > 0; n++) {
      const random = randomOf(seed, -1 - n)
      const count = Math.min(left, 1 + random.below(30))
      await changes.add(random, count)
      left -= count
    }
    for (let step = 0; step < steps; step++) {
      const random = randomOf(seed, step)
      await changes.any(random)
      if (random.oneIn(2)) await changes.any(random)
      for (let n = random.below(8); n >= 0; n--) {
        const asked = asMade(searchOf(random, sides.clock(), exact, sides.moments))
        await expectPlain(sides, changes, random, exact, asked)
      }
    }
  } finally {
    await sides.close()
  }
  counts.programs++
}

describe('a search beside one that looks at every record', () => {
  afterAll(() => {
    const { seed } = fc.readConfigureGlobal()
    process.stdout.write(`compared with the plain search: ${JSON.stringify({ ...counts, seed })}\n`)
  })

  const few = fc.integer({ min: 1, max: 12 })
  const some = fc.integer({ min: 13, max: 100 })

  it(
    '[SEA-37] whatever was written, changed, removed, opened again and came late, the answer is the plain one',
    async () => {
      await check(programsOf(fc.oneof(few, some), 1, 12), longRuns)
      expect(counts.answers).toBeGreaterThan(1000)
    },
    2 * patienceFor(longRuns),
  )

  it(
    `[SEA-37] the same in ${shortRuns} short programs`,
    async () => {
      await check(programsOf(fc.oneof(few, fc.integer({ min: 13, max: 40 })), 1, 6), shortRuns)
    },
    2 * patienceFor(shortRuns),
  )

  it(
    '[SEA-37] the same where more is found than is gathered at first, page after page',
    async () => {
      const widely = ({ query, options: { filter: _, kinds: __, tags: ___, ...options } }: Asked): Asked => ({
        query,
        options: { ...options, allScopes: true, scope: undefined, include: undefined },
      })
      // Few programs may happen to ask for nothing wide: then some more are tried.
      for (let tries = 1; tries <= 4 && counts.wide === 0; tries++)
        await check(programsOf(fc.integer({ min: 350, max: 500 }), 3, 5), tries * wideRuns, widely)
      expect(counts.wide).toBeGreaterThan(0)
    },
    4 * patienceFor(4 * wideRuns),
  )
})
