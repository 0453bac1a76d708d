import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalise } from '../normalise.ts'
import { createVectorArena } from './index.ts'

const dimensions = 70
const aUnit = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: dimensions, maxLength: dimensions })
  .filter((values) => values.some((value) => value !== 0))
  .map((values) => normalise(Float32Array.from(values)))

describe('codes of rows', () => {
  it('[VEC-17] taken over by another arena they give the same answers, with their float32 numbers or fetching those', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aUnit, { minLength: 1, maxLength: 30 }),
        aUnit,
        fc.boolean(),
        async (units, query, along) => {
          const from = createVectorArena({ dimensions })
          const rows = units.map((unit) => from.append(unit))
          const to = createVectorArena({ dimensions, kernel: 'plain' })
          for (const row of rows) to.appendCodes(from.codesOf(row), along ? from.floatsOf(row) : null)
          const floats = async (wanted: Uint32Array) => Array.from(wanted, (row) => units[row]!)
          expect(await to.nearest(query, null, { limit: 5, floats })).toEqual(
            await from.nearest(query, null, { limit: 5 }),
          )
          expect(await to.meanCosine(query, rows)).toBe(await from.meanCosine(query, rows))
          for (const [i, unit] of units.entries()) {
            expect(to.holds(i, unit)).toBe(true)
            expect(
              to.holds(
                i,
                unit.map((value) => -value),
              ),
            ).toBe(false)
            if (along) expect(to.floatsOf(i)).toEqual(unit)
          }
          to.free(0)
          expect(to.floatsOf(0)).toBeNull()
          expect(() => to.codesOf(0)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('[VEC-17] of many rows at once, over the ends of blocks, they are those of the rows one by one', async () => {
    const unitOf = (i: number) =>
      normalise(Float32Array.from({ length: dimensions }, (_, d) => Math.sin(i * 7 + d * i)))
    const from = createVectorArena({ dimensions })
    const rows = Array.from({ length: 2500 }, (_, i) => from.append(unitOf(i + 1)))
    const to = createVectorArena({ dimensions })
    // Rows of its own, one of them free again.
    for (let i = 0; i < 700; i++) to.append(unitOf(-i - 1))
    to.free(5)
    const first = to.appendAllCodes(Buffer.concat(rows.map((row) => from.codesOf(row))))
    expect(first).toBe(700)
    expect(to.size).toBe(699 + 2500)
    for (const row of rows) expect(to.codesOf(first + row)).toEqual(from.codesOf(row))
    expect(to.append(unitOf(3))).toBe(5)
    expect(to.append(unitOf(4))).toBe(3200)
  })
})
