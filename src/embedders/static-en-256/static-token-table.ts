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

/** Whole numbers: the same cosines whatever compares the rows. */
function rowCosines(
  { weights, rows, products: productsOf }: StaticTable,
  a: number,
  others: ArrayLike<number>,
): Float32Array {
  lengths ??= new Float64Array(rows).fill(Number.NaN)
  requireRow(a, rows)
  for (let j = 0; j < others.length; j++) {
    const id = others[j]!
    if (id >>> 0 !== id || id >= rows) requireRow(id, rows)
  }
  const lengthA = rowLength(lengths, weights, a)
  const products = productsOf(a, others)
  const cosines = new Float32Array(others.length)
  for (let j = 0; j < others.length; j++) {
    const product = lengthA * rowLength(lengths, weights, others[j]!)
    cosines[j] = product === 0 ? 0 : Math.min(1, Math.max(-1, products[j]! / product))
  }
  return cosines
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
