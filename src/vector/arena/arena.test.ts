import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { vectorSource } from '../../../test/fixtures/vectors.ts'
import { dot, normalise } from '../index.ts'
import { createVectorArena, loadVectorArena, type VectorArena } from './index.ts'

const kernels = ['wasm', 'plain'] as const
const seeds = fc.array(fc.float({ noNaN: true, min: -1, max: 1 }), { minLength: 3, maxLength: 9 })

/** Different vectors from few numbers. */
function vectorOf(seed: readonly number[], number: number, dimensions: number): Float32Array {
  return normalise(
    Array.from(
      { length: dimensions },
      (_, i) => seed[(i * 5 + number * 3) % seed.length]! + (i === number % dimensions ? 1 : 0),
    ),
  )
}

const load = (segments: readonly Uint8Array[], dimensions = 64): Promise<VectorArena | null> =>
  loadVectorArena((place) => segments[place], { dimensions })

const saved = (arena: VectorArena, options?: { changed?: boolean }): Uint8Array[] => {
  const segments: Uint8Array[] = []
  for (const { place, bytes } of arena.save(options)) segments[place] = bytes
  return segments
}

describe.each(kernels)('vector arena, %s kernel', (kernel) => {
  it('[VEC-13] appended, set and freed in any order, the arena holds what a plain map holds', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ type: fc.constant('append' as const), number: fc.nat(999) }) },
      { weight: 2, arbitrary: fc.record({ type: fc.constant('free' as const), number: fc.nat(999) }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('set' as const), number: fc.nat(999) }) },
    )
    await fc.assert(
      fc.asyncProperty(seeds, fc.array(step, { maxLength: 80 }), async (seed, steps) => {
        const arena = createVectorArena({ dimensions: 20, kernel })
        const model = new Map<number, Float32Array>()
        for (const { type, number } of steps) {
          const vector = vectorOf(seed, number, 20)
          if (type === 'append') {
            const row = arena.append(vector)
            expect(model.has(row)).toBe(false)
            model.set(row, vector)
            continue
          }
          const row = [...model.keys()][number % Math.max(1, model.size)]
          if (row === undefined) continue
          if (type === 'set') {
            arena.set(row, vector)
            model.set(row, vector)
          } else {
            arena.free(row)
            model.delete(row)
          }
        }
        expect(arena.size).toBe(model.size)
        const query = vectorOf(seed, 7, 20)
        const found = await arena.nearest(query, null, { limit: 100 })
        expect(new Set(found.map(({ row }) => row))).toEqual(new Set(model.keys()))
        for (const { row, score } of found) expect(Math.abs(score - dot(query, model.get(row)!))).toBeLessThan(1e-5)
        // Numbers of freed rows are used again.
        expect(arena.rowCount).toBeLessThanOrEqual(steps.filter(({ type }) => type === 'append').length)
        for (let row = arena.size; row < arena.rowCount; row++) expect(arena.append(query)).toBeLessThan(arena.rowCount)
      }),
    )
  })

  it('[VEC-13] rows stay what they are while the arena grows over many blocks', async () => {
    const source = vectorSource('noise', 16)
    const arena = createVectorArena({ dimensions: 16, kernel })
    const vectors = Array.from({ length: 70_000 }, source)
    for (const [row, vector] of vectors.entries()) expect(arena.append(vector)).toBe(row)
    for (const row of [0, 1023, 1024, 65_535, 65_536, 69_999]) {
      const [best] = await arena.nearest(vectors[row]!, null, { limit: 1, exact: true })
      expect(best!.row).toBe(row)
    }
    expect(arena.size).toBe(70_000)
  })

  it('[VEC-10] the mean cosine of rows is that of these rows, to the bit, whatever else there is and was', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.array(fc.nat(40), { minLength: 1, maxLength: 30 }), async (seed, numbers) => {
        const query = vectorOf(seed, 11, 20)
        const alone = createVectorArena({ dimensions: 20, kernel, floatRows: 0 })
        const rows = numbers.map((number) => alone.append(vectorOf(seed, number, 20)))
        const expected = await alone.meanCosine(query, rows)

        const among = createVectorArena({ dimensions: 20, kernel })
        const placed = numbers.map((number) => {
          among.append(vectorOf(seed, number + 1, 20))
          return among.append(vectorOf(seed, number, 20))
        })
        const sum = await among.sum([])
        for (const row of [...placed].reverse()) sum.add(row)
        sum.add(0)
        sum.remove(0)
        expect(sum.count).toBe(rows.length)
        expect(sum.meanCosine(query)).toBe(expected)
        expect(await among.meanCosine(query, placed)).toBe(expected)

        const exact = numbers.reduce((total, number) => total + dot(query, vectorOf(seed, number, 20)), 0)
        expect(Math.abs(expected - exact / numbers.length)).toBeLessThan(0.02)
      }),
    )
  })

  it('[VEC-10] the sum of thousands of rows at once is that of adding them one by one', async () => {
    const source = vectorSource('mean', 64)
    const arena = createVectorArena({ dimensions: 64, kernel })
    const rows = Uint32Array.from({ length: 3001 }, () => arena.append(source()))
    const oneByOne = await arena.sum([])
    for (const row of rows) oneByOne.add(row)
    const query = source()
    expect(await arena.meanCosine(query, rows)).toBe(oneByOne.meanCosine(query))
  })

  it('[VEC-10] the mean cosine of nothing is 0', async () => {
    const arena = createVectorArena({ dimensions: 2, kernel })
    expect(await arena.meanCosine(Float32Array.of(1, 0), [])).toBe(0)
  })
})

describe('turns', () => {
  // The plain kernel needs tens of milliseconds for so many rows.
  const source = vectorSource('clusters', 128)
  const vectors = Array.from({ length: 40_000 }, source)
  const filled = (): VectorArena => {
    const arena = createVectorArena({ dimensions: 128, kernel: 'plain' })
    for (const vector of vectors) arena.append(vector)
    return arena
  }

  it('[VEC-14] a long search lets other work in; what is freed and appended meanwhile never gets mixed up', async () => {
    const arena = filled()
    const query = source()
    const [best, second] = await arena.nearest(query, null, { limit: 2, exact: true })
    let pauses = 0
    const found = await arena.nearest(query, null, {
      limit: 2,
      exact: true,
      pause: async () => {
        pauses++
        if (pauses > 1) return
        arena.free(best!.row)
        expect(arena.append(query)).not.toBe(best!.row)
      },
    })
    expect(pauses).toBeGreaterThan(0)
    // Rated already when it was freed, it leaves a gap; what came later is not looked at.
    expect(found[0]).toEqual(second)
    expect(found.map(({ row }) => row)).not.toContain(best!.row)
    // Afterwards the number is used again.
    expect(arena.append(query)).toBe(best!.row)
  })

  it('[VEC-14] searches at one time give what each gives alone, and the caller may change its list once it has asked', async () => {
    const arena = filled()
    const queries = Array.from({ length: 4 }, source)
    const options = { limit: 5, exact: true }
    const alone = []
    for (const query of queries) alone.push(await arena.nearest(query, null, options))
    const list = Uint32Array.from(vectors, (_, row) => row)
    const together = queries.map((query) => arena.nearest(query, list, options))
    list.fill(0)
    expect(await Promise.all(together)).toEqual(alone)
  })

  it('[VEC-14] a search ends when it is aborted', async () => {
    const arena = filled()
    const reason = new Error('enough')
    const stop = new AbortController()
    const pause = async () => stop.abort(reason)
    const asked = arena.nearest(source(), null, { limit: 1, exact: true, signal: stop.signal, pause })
    await expect(asked).rejects.toBe(reason)
    await expect(arena.nearest(source(), null, { limit: 1, signal: stop.signal })).rejects.toBe(reason)
    expect(await arena.nearest(source(), null, { limit: 1 })).toHaveLength(1)
  })
})

describe('saved arena', () => {
  const source = vectorSource('mean', 64)
  const vectors = Array.from({ length: 13_000 }, source)
  const query = source()
  const floats = async (rows: Uint32Array) => Array.from(rows, (row) => vectors[row]!)
  const options = { limit: 40, floats }
  const filled = (count: number): VectorArena => {
    const arena = createVectorArena({ dimensions: 64 })
    for (const vector of vectors.slice(0, count)) arena.append(vector)
    return arena
  }

  it('[VEC-12] a loaded arena answers as the saved one did, and goes on from there', async () => {
    const arena = filled(13_000)
    await arena.calibrate()
    for (let row = 5; row < 13_000; row += 11) arena.free(row)
    const loaded = (await load(saved(arena)))!
    expect(loaded.calibration).toEqual(arena.calibration)
    expect([loaded.size, loaded.rowCount]).toEqual([arena.size, arena.rowCount])
    for (const exact of [false, true]) {
      expect(await loaded.nearest(query, null, { ...options, exact })).toEqual(
        await arena.nearest(query, null, { ...options, exact }),
      )
    }
    const rows = Uint32Array.from({ length: 900 }, (_, i) => 11 * i)
    expect(await loaded.meanCosine(query, rows)).toBe(await arena.meanCosine(query, rows))
    const row = loaded.append(query)
    expect(row).toBeLessThan(13_000)
    expect((await loaded.nearest(query, null, { ...options, limit: 1 }))[0]!.row).toBe(row)
  })

  it('[VEC-12] what changed is enough to bring older segments up to date', async () => {
    const arena = filled(5000)
    const segments = saved(arena)
    arena.append(vectors[5000]!)
    arena.free(2000)
    const changed = saved(arena, { changed: true })
    expect(Object.keys(changed)).toEqual(['0', '2', '5'])
    changed.forEach((bytes, place) => {
      segments[place] = bytes
    })
    const loaded = (await load(segments))!
    expect(loaded.has(2000)).toBe(false)
    expect(loaded.has(5000)).toBe(true)
    expect(await loaded.nearest(query, null, options)).toEqual(await arena.nearest(query, null, options))
    expect(Object.keys(saved(loaded, { changed: true }))).toEqual(['0'])
  })

  it('[VEC-12] nothing is loaded from damaged, missing, foreign or mixed segments', async () => {
    const arena = filled(2500)
    const segments = saved(arena)
    expect(await load(segments)).not.toBeNull()
    expect(await load(segments, 128)).toBeNull()
    expect(await load([])).toBeNull()
    for (const place of segments.keys()) {
      const without = segments.slice()
      delete without[place]
      expect(await load(without)).toBeNull()
      for (const at of [0, 4, 8, 12, 16, 700, segments[place]!.length - 1]) {
        const damaged = segments.map((bytes) => bytes.slice())
        damaged[place]![Math.min(at, segments[place]!.length - 1)]! ^= 1
        expect(await load(damaged)).toBeNull()
        const cut = segments.slice()
        cut[place] = cut[place]!.subarray(0, Math.min(at, segments[place]!.length - 1))
        expect(await load(cut)).toBeNull()
      }
    }
    // One that was saved, and never stored with the rest.
    arena.free(3)
    const head = saved(arena, { changed: true })[0]!
    expect(await load([head, ...segments.slice(1)])).toBeNull()
    expect(await load([segments[0]!, segments[2]!, segments[1]!, ...segments.slice(3)])).toBeNull()
  })
})
