import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRowTable } from './index.ts'

const code = fc.integer({ min: -128, max: 127 })

describe.each(['wasm', 'plain'] as const)('row table, %s kernel', (kernel) => {
  it('[VEC-15] products of rows are those of their numbers, whatever the dimensions and the order asked for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 140 }),
        fc.array(code, { minLength: 7, maxLength: 50 }),
        fc.array(fc.nat(19), { maxLength: 40 }),
        (dimensions, seed, others) => {
          const table = createRowTable({ rows: 20, dimensions, kernel })
          const number = (row: number, i: number): number => seed[(row * 13 + i * 5) % seed.length]!
          for (let row = 0; row < 20; row++) {
            for (let i = 0; i < dimensions; i++) table.numbers[row * table.width + i] = number(row, i)
          }
          const expected = others.map((other) => {
            let product = 0
            for (let i = 0; i < dimensions; i++) product += number(3, i) * number(other, i)
            return product
          })
          expect([...table.products(3, others)]).toEqual(expected)
        },
      ),
    )
  })

  it('[VEC-18] the sum of weighted rows is that of their numbers, added up row after row in doubles', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 140 }),
        fc.array(code, { minLength: 7, maxLength: 50 }),
        fc.array(fc.nat(19), { maxLength: 40 }),
        fc.array(fc.float({ noNaN: true, min: -1, max: 1 }), { minLength: 20, maxLength: 20 }),
        (dimensions, seed, picked, weights) => {
          const table = createRowTable({ rows: 20, dimensions, kernel })
          for (let row = 0; row < 20; row++) {
            for (let i = 0; i < dimensions; i++)
              table.numbers[row * table.width + i] = seed[(row * 13 + i * 5) % seed.length]!
          }
          const expected = new Float64Array(dimensions)
          for (const row of picked) {
            for (let i = 0; i < dimensions; i++) expected[i]! += weights[row]! * table.numbers[row * table.width + i]!
          }
          expect(table.blend(picked, (row) => weights[row]!)).toEqual(expected)
        },
      ),
    )
  })

  it('[VEC-15] a table of many rows answers for more of them than one piece of work holds', () => {
    const rows = 9000
    const table = createRowTable({ rows, dimensions: 2, kernel })
    for (let row = 0; row < rows; row++) table.numbers.set([row % 100, 1], row * table.width)
    const others = Array.from({ length: rows }, (_, i) => rows - 1 - i)
    expect([...table.products(50, others)]).toEqual(others.map((other) => 50 * (other % 100) + 1))
    expect([...table.blend(others, (row) => (row < 10 ? 0.5 : 0))]).toEqual([22.5, 5])
  })
})
