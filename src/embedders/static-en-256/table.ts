import { readFileSync } from 'node:fs'
import { SetupError } from '../../errors/index.ts'
import { createRowTable, type RowTable } from '../../vector/index.ts'
import { type Tokenizer, wordPiece } from './wordpiece.ts'

export const dimensions = 256
const rows = 30_522
const unknownId = 100

/** Token rows and the tokenizer that names them. Row `id` starts at `id * dimensions`; its values are `scale * weight`. */
export interface StaticTable {
  readonly rows: number
  readonly weights: Int8Array
  readonly products: RowTable['products']
  readonly scales: Float32Array
  readonly tokenize: Tokenizer
}

let loaded: StaticTable | undefined

/**
 * The built-in table, read from disk once per process: about 8 MB and 20 ms.
 * @throws SetupError BAD_CONFIG when a data file is missing or has the wrong size.
 */
export function staticTable(): StaticTable {
  loaded ??= load()
  return loaded
}

function load(): StaticTable {
  const weights = readData('weights.i8', rows * dimensions)
  const scales = readData('scales.f32', rows * 4)
  const scaleView = new DataView(scales.buffer, scales.byteOffset, scales.byteLength)
  const vocabulary = readData('vocab.txt').toString('utf8').replace(/\n$/, '').split('\n')
  if (vocabulary.length !== rows) throw damaged('vocab.txt')
  // Its rows lie side by side without a gap: 256 is a multiple of its unit.
  const table = createRowTable({ rows, dimensions })
  table.numbers.set(new Int8Array(weights.buffer, weights.byteOffset, weights.byteLength))
  return {
    rows,
    weights: table.numbers,
    products: table.products,
    // The file is little-endian whatever the machine is.
    scales: Float32Array.from({ length: rows }, (_, row) => scaleView.getFloat32(row * 4, true)),
    tokenize: wordPiece(vocabulary, unknownId),
  }
}

function readData(name: string, size?: number): Buffer {
  // The same three steps up from src/ and from dist/ in the published package.
  const path = new URL(`../../../data/static-en-256/${name}`, import.meta.url)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    throw damaged(name, cause)
  }
  if (size !== undefined && bytes.length !== size) throw damaged(name)
  return bytes
}

function damaged(name: string, cause?: unknown): SetupError {
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `The built-in embedder's data file ${name} is missing or damaged. Reinstall mneme; a bundled program must carry the package's data folder along.`,
    details: { file: name },
    cause,
  })
}
