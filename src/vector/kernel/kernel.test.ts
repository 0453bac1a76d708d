import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { blockRows, createKernel, type Kernel, scoreBins, stepsPerOne, traitBytes } from './index.ts'
import { wasmBase64, wasmSha256 } from './wasm-bytes.ts'

const kernels = [createKernel('wasm'), createKernel('plain')] as const

// The rows in use start at the end of one block and end at the start of the next.
const rows = 40
const first = blockRows - 17

const at = { table: 1024, floatTable: 1056, list: 2048, query: 4096, mean: 8192 }
const out = { from: 16_384, products: 16_384, keys: 20_480, histogram: 24_576, sums: 45_056, end: 65_536 }
const blocks = [2 ** 17, 2 ** 17 + 2 ** 19]
const floatBlocks = [2 ** 21, 2 ** 21 + 2 ** 21]
const end = 6 * 2 ** 20

const float = fc.oneof(
  { weight: 6, arbitrary: fc.float({ noNaN: true, min: -1, max: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 1, -1, Math.fround(1e-40), 0.5, 2 ** -21) },
)
const example = fc.record({
  stride: fc.constantFrom(64, 128, 256, 384),
  seed: fc.array(float, { minLength: 5, maxLength: 97 }),
  picked: fc.array(fc.nat(rows - 1), { maxLength: rows }),
  scale: fc.float({ noNaN: true, min: Math.fround(1e-6), max: 1 }),
  spread: fc.float({ noNaN: true, min: 0, max: 2 }),
})
type Example = typeof example extends fc.Arbitrary<infer T> ? T : never

/** Runs everything on the same rows and answers all that was written, one step after the other. */
function written(kernel: Kernel, { stride, seed, picked, scale, spread }: Example): Buffer {
  const { memory } = kernel
  memory.grow(end)
  memory.u8.fill(0, 0, out.end)
  memory.u32.set(blocks, at.table / 4)
  memory.u32.set(floatBlocks, at.floatTable / 4)
  const value = (i: number): number => seed[(i * 7 + (i >> 5)) % seed.length]!
  for (let j = 0; j < stride; j++) {
    memory.f32[at.mean / 4 + j] = value(j) / 4
    memory.i16[at.query / 2 + j] = Math.round(value(3 * j + 1) * 5000)
  }
  const steps: Uint8Array[] = []
  const keep = (): void => {
    steps.push(memory.u8.slice(out.from, out.end))
    memory.u8.fill(0, out.from, out.end)
  }
  const width = stride + traitBytes
  const bits = blockRows * width
  const place = (block: number, column: number, row: number, width: number): number => block + column + row * width

  for (const [block, from, count] of [[0, first, 17] as const, [1, 0, rows - 17] as const]) {
    const floats = floatBlocks[block]! + from * stride * 4
    for (let i = 0; i < count * stride; i++) memory.f32[floats / 4 + i] = value(i + 31 * block)
    const coded = place(blocks[block]!, 0, from, width)
    const sign = place(blocks[block]!, bits, from, stride / 8)
    kernel.quantise(floats, count, stride, coded)
    kernel.signs(coded, count, stride, at.mean, sign)
    steps.push(memory.u8.slice(coded, coded + count * width))
    steps.push(memory.u8.slice(sign, sign + (count * stride) / 8))
  }

  memory.u32.set(
    picked.map((row) => first + row),
    at.list / 4,
  )
  const { table, list } = at
  const { products, keys, histogram } = out
  const rating = [scale / 5000, spread, 1e-6, -1.1, scoreBins / 2.2] as const
  for (const [rowList, count] of [[0, rows] as const, [list, picked.length] as const]) {
    kernel.hamming(table, bits, rowList, first, count, stride, place(blocks[1]!, bits, 0, 0), keys, histogram)
    steps.push(Uint8Array.of(kernel.collect(keys, rowList, first, count, stride / 2, stride, products)))
    keep()
    kernel.products(table, rowList, first, count, stride, width, at.query, products)
    kernel.rate(products, table, rowList, first, count, stride, ...rating, keys, histogram)
    // What compiled code writes past the last key is nobody's.
    memory.u16.fill(0, keys / 2 + count, keys / 2 + count + 3)
    kernel.sums(table, rowList, first, count, stride, out.sums)
    keep()
    kernel.blend(table, list, picked.length, stride, floatBlocks[0]! + first * stride * 4, out.sums)
    keep()
    kernel.dots(at.floatTable, rowList, first, count, stride, floatBlocks[1]!, products)
    keep()
  }
  return Buffer.concat(steps)
}

describe('vector kernel', () => {
  it('[VEC-5] the compiled kernel runs here', () => {
    expect(kernels.map(({ kind }) => kind)).toEqual(['wasm', 'plain'])
  })

  it('[VEC-5] without WebAssembly the plain kernel does the work', () => {
    vi.stubGlobal('WebAssembly', undefined)
    expect(createKernel().kind).toBe('plain')
    vi.unstubAllGlobals()
    expect(createKernel().kind).toBe('wasm')
    expect(createKernel('plain').kind).toBe('plain')
  })

  it('[VEC-5] the compiled and the plain kernel give the same bits', () => {
    fc.assert(
      fc.property(example, (given) => {
        expect(Buffer.compare(written(kernels[0], given), written(kernels[1], given))).toBe(0)
      }),
      { numRuns: 300 },
    )
  })

  it('[VEC-5] both put what is beyond the bins, and what is no number, into the bins at the ends', () => {
    const bounds = [1e30, -1e30, Number.MAX_VALUE, 0]
    const keysOf = ({ memory, rate }: Kernel): Buffer => {
      memory.grow(end)
      memory.u8.fill(0, 0, out.end)
      memory.u32[at.table / 4] = blocks[0]!
      for (const [i, bound] of bounds.entries())
        memory.f32.set([1, bound], (blocks[0]! + 64 + i * (64 + traitBytes)) / 4)
      const { products, keys, histogram } = out
      rate(products, at.table, 0, 0, bounds.length, 64, 1, 1, 0, 0, 0, keys, histogram)
      rate(products, at.table, 0, 0, bounds.length, 64, 1, 1, 0, -1, 9, keys + 8, histogram)
      return Buffer.from(memory.u8.slice(out.from, out.end))
    }
    expect(Buffer.compare(keysOf(kernels[0]), keysOf(kernels[1]))).toBe(0)
    const keys = kernels[1].memory.u16.slice(out.keys / 2, out.keys / 2 + 8)
    expect([...keys]).toEqual([0, 0, 0, 0, scoreBins - 1, 0, scoreBins - 1, 9])
  })

  it('[VEC-6] the codes of a row miss it by no more than its bound, and its step is a whole number of the unit', () => {
    for (const kernel of kernels) {
      const { memory } = kernel
      memory.grow(end)
      fc.assert(
        fc.property(fc.array(float, { minLength: 64, maxLength: 64 }), (values) => {
          memory.f32.set(values, 1024)
          kernel.quantise(4096, 1, 64, 512)
          const [step, bound] = memory.f32.subarray((512 + 64) / 4) as unknown as [number, number]
          expect(Number.isInteger(step * stepsPerOne)).toBe(true)
          const missing = values.map((value, j) => value - step * memory.i8[512 + j]!)
          expect(Math.max(...missing.map(Math.abs))).toBeLessThanOrEqual(step * 0.5000001)
          expect(Math.hypot(...missing)).toBeLessThanOrEqual(bound + 1e-12)
        }),
      )
    }
  })

  it('[VEC-7] the bytes that are checked in are those of their hash', () => {
    expect(createHash('sha256').update(Buffer.from(wasmBase64, 'base64')).digest('hex')).toBe(wasmSha256)
  })

  // The compiler is a dev dependency, and the source is not part of the published package.
  const build = new URL('../../../vector-kernel/build.mjs', import.meta.url)
  const compiler = new URL('../../../node_modules/assemblyscript/package.json', import.meta.url)
  it.skipIf(!existsSync(build) || !existsSync(compiler))(
    '[VEC-7] they are the bytes that the source gives',
    async () => {
      const { compileKernel, bytesModule } = await import(build.href)
      const present = await readFile(new URL('./wasm-bytes.ts', import.meta.url), 'utf8')
      expect(bytesModule(await compileKernel()) === present).toBe(true)
    },
  )
})
