import type { TokenTable } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { staticEn256Id } from './static-embedder.ts'
import { dimensions, type StaticTable, staticTable } from './table.ts'

/**
 * The word pieces of the built-in embedder and how alike they are (EMB-4). Reads the table at the first call.
 * An unknown word is the token `[UNK]` (100); a text without words has no tokens.
 * @throws SetupError BAD_CONFIG when the package's data files are missing or damaged.
 * @throws InputError INVALID_ARGUMENT from `similarities` for an id that is not in the table.
 */
export function staticTokenTable(): TokenTable {
  return {
    id: staticEn256Id,
    tokens(text) {
      return [...new Set(staticTable().tokenize(text))].sort((a, b) => a - b)
    },
    similarities(a, others) {
      return rowCosines(staticTable(), a, others)
    },
  }
}

/** Lengths of the int8 rows, each worked out when first asked for. The scale of a row cancels out of a cosine. */
let lengths: Float64Array | undefined
/** The asked row, widened once per call. Shared: nothing awaits while it is in use. */
const wide = new Int32Array(dimensions)

function rowCosines({ weights, rows }: StaticTable, a: number, others: ArrayLike<number>): Float32Array {
  lengths ??= new Float64Array(rows).fill(Number.NaN)
  requireRow(a, rows)
  const rowA = a * dimensions
  for (let i = 0; i < dimensions; i++) wide[i] = weights[rowA + i]!
  const lengthA = rowLength(lengths, weights, a)
  const cosines = new Float32Array(others.length)
  for (let j = 0; j < others.length; j++) {
    const b = others[j]!
    requireRow(b, rows)
    const product = lengthA * rowLength(lengths, weights, b)
    cosines[j] = product === 0 ? 0 : Math.min(1, Math.max(-1, dotWide(weights, b * dimensions) / product))
  }
  return cosines
}

/** Integers all the way: 256 products of at most 2^14 stay far below 2^31. */
function dotWide(weights: Int8Array, row: number): number {
  let sum0 = 0
  let sum1 = 0
  let sum2 = 0
  let sum3 = 0
  for (let i = 0; i < dimensions; i += 4) {
    sum0 = (sum0 + Math.imul(wide[i]!, weights[row + i]!)) | 0
    sum1 = (sum1 + Math.imul(wide[i + 1]!, weights[row + i + 1]!)) | 0
    sum2 = (sum2 + Math.imul(wide[i + 2]!, weights[row + i + 2]!)) | 0
    sum3 = (sum3 + Math.imul(wide[i + 3]!, weights[row + i + 3]!)) | 0
  }
  return sum0 + sum1 + sum2 + sum3
}

function rowLength(known: Float64Array, weights: Int8Array, id: number): number {
  const length = known[id]!
  if (!Number.isNaN(length)) return length
  let squares = 0
  for (let i = id * dimensions; i < (id + 1) * dimensions; i++) squares += weights[i]! * weights[i]!
  known[id] = Math.sqrt(squares)
  return known[id]!
}

function requireRow(id: number, rows: number): void {
  if (Number.isInteger(id) && id >= 0 && id < rows) return
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: `Token ids of ${staticEn256Id} run from 0 to ${rows - 1}. Make the token sets anew with tokens().`,
    details: { table: staticEn256Id },
  })
}
