import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { vectorSource } from '../../../test/fixtures/vectors.ts'
import { MnemeError } from '../../errors/index.ts'
import { normalise } from '../index.ts'
import { createVectorArena, type FetchFloats, type NearestOptions, type NearRow, type VectorArena } from './index.ts'

const kernels = ['wasm', 'plain'] as const

/** Few values, so that there are equal vectors, zeros and ties. */
const vectors = fc
  .record({ dimensions: fc.integer({ min: 1, max: 70 }), coarse: fc.boolean() })
  .chain(({ dimensions, coarse }) => {
    const component = coarse ? fc.constantFrom(-1, 0, 0, 1) : fc.float({ noNaN: true, min: -1, max: 1 })
    const vector = fc.array(component, { minLength: dimensions, maxLength: dimensions }).map(normalise)
    return fc.record({
      dimensions: fc.constant(dimensions),
      rows: fc.array(vector, { maxLength: 40 }),
      repeats: fc.integer({ min: 1, max: 3 }),
      query: vector,
      limit: fc.integer({ min: 1, max: 60 }),
      picked: fc.option(fc.array(fc.nat(119), { maxLength: 60 })),
      modulus: fc.option(fc.integer({ min: 1, max: 5 })),
      freed: fc.array(fc.nat(119), { maxLength: 10 }),
      floatRows: fc.constantFrom('all' as const, 0, 3, 16),
    })
  })

/** What comparing every row gives. */
async function compareAll(
  arena: VectorArena,
  query: Float32Array,
  rows: ArrayLike<number>,
  { limit, allowed = () => true, floats }: NearestOptions,
): Promise<{ row: number; score: number }[]> {
  const scores = await arena.dotAll(query, rows, { floats })
  return Array.from(rows, (row, i) => ({ row, score: scores[i]! }))
    .filter(({ row, score }) => !Number.isNaN(score) && allowed(row))
    .sort((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, limit)
}

function filled(kernel: (typeof kernels)[number], source: () => Float32Array, count: number, dimensions: number) {
  const arena = createVectorArena({ dimensions, kernel, floatRows: 'all' })
  for (let row = 0; row < count; row++) arena.append(source())
  return arena
}

const everyRow = (arena: VectorArena): Uint32Array => Uint32Array.from({ length: arena.rowCount }, (_, row) => row)

function shareFound(expected: readonly { row: number }[], found: readonly { row: number }[]): number {
  const rows = new Set(found.map(({ row }) => row))
  return expected.filter(({ row }) => rows.has(row)).length / expected.length
}

describe.each(kernels)('nearest vectors, %s kernel', (kernel) => {
  it('[VEC-8] the answer is that of comparing every row: any vectors, rows, limit, and whatever is in memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        vectors,
        async ({ dimensions, rows, repeats, query, limit, picked, modulus, freed, floatRows }) => {
          const stored = Array.from({ length: repeats }, () => rows).flat()
          const arena = createVectorArena({ dimensions, kernel, floatRows })
          for (const vector of stored) arena.append(vector)
          for (const row of new Set(freed)) if (arena.has(row)) arena.free(row)
          const asked = picked && Uint32Array.from(new Set(picked.filter((row) => row < stored.length)))
          const floats: FetchFloats = async (missing) => Array.from(missing, (row) => stored[row]!)
          const options: NearestOptions = {
            limit,
            floats,
            ...(modulus === null ? {} : { allowed: (row: number) => row % modulus === 0 }),
          }
          const expected = await compareAll(arena, query, asked ?? everyRow(arena), options)
          expect(await arena.nearest(query, asked, options)).toEqual(expected)
        },
      ),
      { numRuns: kernel === 'wasm' ? 2000 : 500 },
    )
  })

  it('[VEC-8] equal scores come in the order asked for', async () => {
    const arena = createVectorArena({ dimensions: 2, kernel })
    for (let row = 0; row < 300; row++) arena.append(Float32Array.of(1, 0))
    const found = await arena.nearest(Float32Array.of(1, 0), null, { limit: 3, before: (a, b) => b - a })
    expect(found).toEqual([299, 298, 297].map((row) => ({ row, score: 1 })))
  })

  it.each(['clusters', 'mean', 'scattered', 'noise'] as const)(
    '[VEC-8] thousands of rows: nothing is missed and every score is exact (%s)',
    async (spread) => {
      const source = vectorSource(spread, 64)
      const arena = filled(kernel, source, 3000, 64)
      for (let i = 0; i < 10; i++) {
        const query = source()
        for (const limit of [1, 10, 200]) {
          const expected = await compareAll(arena, query, everyRow(arena), { limit })
          expect(await arena.nearest(query, null, { limit })).toEqual(expected)
        }
      }
    },
  )

  it('[VEC-8] nothing is asked of no rows', async () => {
    const arena = createVectorArena({ dimensions: 3, kernel })
    const query = normalise([1, 2, 3])
    expect(await arena.nearest(query, null, { limit: 5 })).toEqual([])
    arena.append(query)
    expect(await arena.nearest(query, new Uint32Array(0), { limit: 5 })).toEqual([])
    expect(await arena.nearest(query, null, { limit: 0 })).toEqual([])
  })
})

describe('nearest vectors of many', () => {
  it.each(['clusters', 'mean'] as const)(
    '[VEC-9] above ten thousand rows .98 of the best ten and .9 of the best two hundred are found, with exact scores (%s)',
    async (spread) => {
      const source = vectorSource(spread, 128)
      const arena = filled('wasm', source, 24_000, 128)
      expect(arena.calibrationDue).toBe(true)
      const { few, many } = await arena.calibrate({ queries: Array.from({ length: 40 }, source) })
      expect(few).not.toBeNull()
      if (spread === 'clusters') expect(many).not.toBeNull()
      expect(arena.calibrationDue).toBe(false)
      const queries = Array.from({ length: 40 }, source)
      for (const limit of [10, 200]) {
        const shares = { ten: 0, all: 0 }
        for (const query of queries) {
          const expected = await compareAll(arena, query, everyRow(arena), { limit })
          expect(await arena.nearest(query, null, { limit, exact: true })).toEqual(expected)
          const found = await arena.nearest(query, null, { limit })
          const scores = await arena.dotAll(
            query,
            found.map(({ row }) => row),
          )
          expect(found.map(({ score }) => score)).toEqual([...scores])
          shares.ten += shareFound(expected.slice(0, 10), found) / queries.length
          shares.all += shareFound(expected, found) / queries.length
        }
        expect(shares.ten).toBeGreaterThanOrEqual(0.98)
        expect(shares.all).toBeGreaterThanOrEqual(0.9)
      }
    },
  )

  it('[VEC-9] with a filter and freed rows the first stage goes on until it has enough; both kernels find the same', async () => {
    const answers: { kernel: string; found: readonly NearRow[] }[] = []
    for (const kernel of kernels) {
      const source = vectorSource('mean', 64)
      const rows = Array.from({ length: 16_000 }, source)
      const learned = await filled(kernel, vectorSource('mean', 64), 3000, 64).calibrate()
      const arena = createVectorArena({
        dimensions: 64,
        kernel,
        calibration: { ...learned, rows: 16_000, few: 500, many: 500 },
      })
      for (const row of rows) arena.append(row)
      for (let row = 0; row < 500; row++) arena.free(row * 3)
      const query = source()
      const list = everyRow(arena).filter((row) => row % 7 !== 0)
      // Fewer may be found than the first stage leaves: the answer is exact.
      for (const modulus of [50, 500, 5000]) {
        const options = { limit: 20, allowed: (row: number) => row % modulus === 1 }
        for (const asked of [null, list]) {
          const found = await arena.nearest(query, asked, options)
          expect(found).toEqual(await compareAll(arena, query, asked ?? everyRow(arena), options))
          answers.push({ kernel, found })
        }
      }
      for (const asked of [null, list])
        answers.push({ kernel, found: await arena.nearest(query, asked, { limit: 20 }) })
    }
    const [wasm, plain] = kernels.map((name) =>
      answers.filter(({ kernel }) => kernel === name).map(({ found }) => found),
    )
    expect(wasm).toEqual(plain)
  })

  it('[VEC-9] where signs tell nothing, codes of all rows are compared, and nothing is missed', async () => {
    const source = vectorSource('noise', 64)
    const arena = filled('wasm', source, 12_000, 64)
    const calibration = await arena.calibrate({ queries: Array.from({ length: 16 }, source) })
    expect(calibration.many).toBeNull()
    const query = source()
    const expected = await compareAll(arena, query, everyRow(arena), { limit: 200 })
    expect(await arena.nearest(query, null, { limit: 200 })).toEqual(expected)
  })

  it('[VEC-9] nothing is learned from no rows', async () => {
    const arena = createVectorArena({ dimensions: 3 })
    expect(await arena.calibrate()).toEqual({ mean: [0, 0, 0], rows: 0, few: null, many: null, asked: false })
  })

  it('[VEC-9] a calibration is plain data that serves another arena', async () => {
    const source = vectorSource('mean', 64)
    const rows = Array.from({ length: 16_000 }, source)
    const first = createVectorArena({ dimensions: 64 })
    for (const row of rows) first.append(row)
    const calibration = JSON.parse(JSON.stringify(await first.calibrate()))
    const second = createVectorArena({ dimensions: 64, calibration })
    for (const row of rows) second.append(row)
    const query = source()
    expect(await second.nearest(query, null, { limit: 50 })).toEqual(await first.nearest(query, null, { limit: 50 }))
    expect(second.calibration).toEqual(first.calibration)
    const third = createVectorArena({ dimensions: 64 })
    for (const row of rows) third.append(row)
    expect(await third.calibrate({ known: calibration })).toEqual(calibration)
    expect(await third.nearest(query, null, { limit: 50 })).toEqual(await first.nearest(query, null, { limit: 50 }))
    expect(third.calibrationDue).toBe(false)
  })
})

describe('float32 rows', () => {
  const source = vectorSource('clusters', 64)
  const rows = Array.from({ length: 600 }, source)
  const query = source()

  it('[VEC-11] rows past those that are kept are fetched, and give the same answer', async () => {
    const answers = []
    for (const floatRows of ['all', 600, 599, 40, 1, 0] as const) {
      const arena = createVectorArena({ dimensions: 64, floatRows })
      for (const row of rows) arena.append(row)
      const asked: number[] = []
      const floats: FetchFloats = async (missing) => {
        asked.push(...missing)
        return Array.from(missing, (row) => rows[row]!)
      }
      answers.push(await arena.nearest(query, null, { limit: 30, floats }))
      if (floatRows === 'all' || floatRows === 600) expect(asked).toEqual([])
      else expect(asked.length).toBeGreaterThanOrEqual(30)
    }
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  it('[VEC-11] without a way to fetch them the search is refused, and so is a fetched vector of another length', async () => {
    const arena = createVectorArena({ dimensions: 64, floatRows: 0 })
    for (const row of rows) arena.append(row)
    const refused = (floats?: FetchFloats) => arena.nearest(query, null, { limit: 3, floats }).catch((error) => error)
    for (const floats of [undefined, async (missing: Uint32Array) => Array.from(missing, () => new Float32Array(63))]) {
      expect(MnemeError.is(await refused(floats), 'INVALID_ARGUMENT')).toBe(true)
    }
  })

  it('[VEC-11] a row that is gone when it is fetched is not found', async () => {
    const arena = createVectorArena({ dimensions: 64, floatRows: 0 })
    for (const row of rows) arena.append(row)
    const all: FetchFloats = async (missing) => Array.from(missing, (row) => rows[row]!)
    const [best, second, third, fourth] = await arena.nearest(query, null, { limit: 4, floats: all })
    const found = await arena.nearest(query, null, {
      limit: 4,
      floats: async (missing) => {
        if (arena.has(best!.row)) arena.free(best!.row)
        return Array.from(missing, (row) => (row === second!.row ? null : rows[row]!))
      },
    })
    expect(found.slice(0, 2)).toEqual([third, fourth])
  })
})

describe('vectors that are refused', () => {
  it('[VEC-16] only vectors of the dimensions and of length one or zero, rows in use, and dimensions in bounds pass', async () => {
    const arena = createVectorArena({ dimensions: 2 })
    arena.append(Float32Array.of(0, 1))
    arena.append(Float32Array.of(0, 0))
    const bad = [[1], [1, 0, 0], [1, 1], [Number.NaN, 0], [Number.POSITIVE_INFINITY, 0]].map((v) =>
      Float32Array.from(v),
    )
    const unit = Float32Array.of(1, 0)
    const calls: (() => unknown)[] = [
      ...bad.flatMap((vector) => [
        () => arena.append(vector),
        () => arena.set(0, vector),
        () => arena.nearest(vector, null, { limit: 1 }),
        () => arena.dotAll(vector, [0]),
        () => arena.meanCosine(vector, [0]),
      ]),
      () => arena.set(2, unit),
      () => arena.free(2),
      () => arena.sum([2]),
      () => arena.nearest(unit, Uint32Array.of(2), { limit: 1 }),
      ...[0, 1.5, 16_385, Number.NaN].map((dimensions) => () => createVectorArena({ dimensions })),
    ]
    for (const call of calls) {
      const error = await Promise.resolve()
        .then(call)
        .catch((thrown: unknown) => thrown)
      expect(MnemeError.is(error, 'INVALID_ARGUMENT')).toBe(true)
    }
    expect(arena.size).toBe(2)
  })
})
