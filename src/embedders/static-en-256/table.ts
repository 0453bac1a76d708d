import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
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
  readonly blend: RowTable['blend']
  readonly scales: Float32Array
  readonly tokenize: Tokenizer
}

let loaded: StaticTable | undefined

/**
 * The built-in table, read from disk once per process: about 8 MB and 10 ms.
 * @throws SetupError BAD_CONFIG when a data file is missing or has the wrong size.
 */
export function staticTable(): StaticTable {
  loaded ??= load()
  return loaded
}

function load(): StaticTable {
  // Its rows lie side by side without a gap: 256 is a multiple of its unit.
  const table = createRowTable({ rows, dimensions })
  // Read to where they stay: memory that is new to the process costs more than the reading.
  readInto('weights.i8', bytesOf(table.numbers))
  const scales = new Float32Array(rows)
  readInto('scales.f32', bytesOf(scales))
  if (endianness() === 'BE') bytesOf(scales).swap32()
  const vocabulary = readVocabulary()
  if (vocabulary.length !== rows) throw damaged('vocab.txt')
  return {
    rows,
    weights: table.numbers,
    products: table.products,
    blend: table.blend,
    scales,
    tokenize: wordPiece(vocabulary, unknownId),
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int8Array | Float32Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
}

// The same three steps up from src/ and from dist/ in the published package.
const pathOf = (name: string): URL => new URL(`../../../data/static-en-256/${name}`, import.meta.url)

function readVocabulary(): readonly string[] {
  try {
    return readFileSync(pathOf('vocab.txt'), 'utf8').replace(/\n$/, '').split('\n')
  } catch (cause) {
    throw damaged('vocab.txt', cause)
  }
}

/** Fills the bytes from a file of exactly that size. */
function readInto(name: string, bytes: Buffer): void {
  let file: number | undefined
  try {
    file = openSync(pathOf(name), 'r')
    let at = 0
    for (let read = -1; at < bytes.length && read !== 0; at += read)
      read = readSync(file, bytes, at, bytes.length - at, at)
    if (at !== bytes.length || fstatSync(file).size !== at) throw damaged(name)
  } catch (cause) {
    throw cause instanceof SetupError ? cause : damaged(name, cause)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function damaged(name: string, cause?: unknown): SetupError {
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `The built-in embedder's data file ${name} is missing or damaged. Reinstall mneme; a bundled program must carry the package's data folder along.`,
    details: { file: name },
    cause,
  })
}
