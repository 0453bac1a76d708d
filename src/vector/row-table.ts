import { blockRows, createKernel, type KernelKind, strideUnit } from './kernel/index.ts'

/** Rows of a table of int8 numbers that never changes, compared fast. */
export interface RowTable {
  /** The rows side by side, `width` numbers each: the table is filled through it. */
  readonly numbers: Int8Array
  /** Numbers from one row to the next: the dimensions, and zeros up to the next multiple of 64. */
  readonly width: number
  /** Products of a row with others, in order. Row numbers are not checked. */
  products(row: number, others: ArrayLike<number>): Int32Array
  /** The sum of rows, each times its weight: float64 numbers, added up row after row. Neither row numbers nor weights are checked. */
  blend(rows: readonly number[], weightOf: (row: number) => number): Float64Array
}

const piece = 4096

/** A table of zeros. Both kernels give the same products, which are whole numbers. @param options.kernel @default 'wasm' */
export function createRowTable(options: {
  readonly rows: number
  readonly dimensions: number
  readonly kernel?: KernelKind | undefined
}): RowTable {
  const { rows, dimensions } = options
  const kernel = createKernel(options.kernel)
  const width = Math.ceil(dimensions / strideUnit) * strideUnit
  const blocks = Math.ceil(rows / blockRows)
  // Address 0 stands for "no list".
  const table = 64
  const query = table + Math.ceil(blocks / 16) * 64
  const list = query + 2 * width
  const out = list + 4 * piece
  const weights = out + 4 * piece
  const sum = weights + 4 * piece
  const start = sum + 8 * width
  const { memory } = kernel
  memory.grow(start + rows * width)
  for (let block = 0; block < blocks; block++) memory.u32[table / 4 + block] = start + block * blockRows * width
  return {
    numbers: memory.i8.subarray(start, start + rows * width),
    width,
    products(row, others) {
      const products = new Int32Array(others.length)
      // Rows of int8 are compared with one of int16.
      memory.i16.set(memory.i8.subarray(start + row * width, start + (row + 1) * width), query / 2)
      for (let from = 0; from < others.length; from += piece) {
        const count = Math.min(piece, others.length - from)
        for (let i = 0; i < count; i++) memory.u32[list / 4 + i] = others[from + i]!
        kernel.products(table, list, 0, count, width, width, query, out)
        products.set(memory.i32.subarray(out / 4, out / 4 + count), from)
      }
      return products
    },
    blend(rows, weightOf) {
      memory.f64.fill(0, sum / 8, sum / 8 + width)
      for (let from = 0; from < rows.length; from += piece) {
        const count = Math.min(piece, rows.length - from)
        for (let i = 0; i < count; i++) {
          const row = rows[from + i]!
          memory.u32[list / 4 + i] = row
          memory.f32[weights / 4 + i] = weightOf(row)
        }
        kernel.blend(table, list, count, width, weights, sum)
      }
      return memory.f64.slice(sum / 8, sum / 8 + dimensions)
    },
  }
}
