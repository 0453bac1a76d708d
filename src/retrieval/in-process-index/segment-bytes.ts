import type { Scope } from '../../model/index.ts'
import { bytesOf, numbersIn } from './bytes.ts'
import { type Columns, type Constants, columnsIn, columnsOf, constantsOf, writtenColumns } from './columns.ts'
import type { IndexState } from './index-state.ts'
import type { Actor } from './indexed-record.ts'
import { SealedPostings } from './postings.ts'
import { Segment, type SegmentArrays } from './segment.ts'
import { SEGMENT_SLOTS } from './slots.ts'
import { Texts } from './texts.ts'

/** Another one when the bytes of a segment mean something else; tells machines of another byte order apart, too. */
export const segmentFormat = `6-${new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'le' : 'be'}`

/** What numbers in the columns stand for, and how the chunks divide. */
interface Legend {
  readonly count: number
  readonly scopes: readonly Scope[]
  readonly kinds: readonly string[]
  readonly actors: readonly Actor[]
  /** Infinite ones as text. */
  readonly constants: { readonly [column: string]: number | string }
  /** How many terms there are, and the size of the table that finds them. */
  readonly terms: number
  readonly table: number
  readonly spaces: readonly { readonly name: string; readonly dimensions: number; readonly chunks: number }[]
}

const fixedChunks = 8

/**
 * A segment as bytes, in which nothing but this segment is needed to read it.
 * @param number where the segment is in the state
 * @param arrays its final form, with the statuses that are to be written
 */
export function encodeSegment(state: IndexState, number: number, arrays: SegmentArrays): readonly Uint8Array[] {
  const { ids, postings, terms, tokens, tokenTotals } = arrays
  const scopes = new Renumbering()
  const kinds = new Renumbering()
  const actors = new Renumbering()
  const columns = columnsOf(ids.count, arrays.columns)
  for (let place = 0; place < ids.count; place++) {
    // An empty place has no scope to name.
    if (columns.status[place] === 0) continue
    columns.scope[place] = scopes.of(columns.scope[place]!)
    columns.kind[place] = kinds.of(columns.kind[place]!)
    if (columns.actor[place] !== 0) columns.actor[place] = actors.of(columns.actor[place]! - 1) + 1
  }
  const constants = constantsOf(columns, (place) => columns.status[place] !== 0)
  const vectors = [...state.vectors.spaces].map(([name, rows]) => {
    return { name, dimensions: rows.dimensions, chunks: rows.save(number, ids.count) }
  })
  const { terms: words, table, words: places, ends, highest } = postings.arrays
  const legend: Legend = {
    count: ids.count,
    scopes: scopes.numbers.map((scope) => state.scopes.scopes[scope]!),
    kinds: kinds.numbers.map((kind) => state.kinds.values[kind]!),
    actors: actors.numbers.map((actor) => state.actors.values[actor]!),
    constants: Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, jsonNumber(value)])),
    terms: words.count,
    table: table.length,
    spaces: vectors.map(({ name, dimensions, chunks }) => ({ name, dimensions, chunks: chunks.length })),
  }
  return [
    Buffer.from(JSON.stringify(legend)),
    joined(writtenColumns(constants).map((name) => bytesOf(columns[name]))),
    joined([bytesOf(ids.ends), ids.bytes]),
    joined([bytesOf(table), bytesOf(ends), bytesOf(words.ends), highest, words.bytes]),
    bytesOf(places),
    bytesOf(terms),
    bytesOf(tokens),
    bytesOf(tokenTotals),
    ...vectors.flatMap(({ chunks }) => chunks),
  ]
}

/** A segment that was read, its numbers those of the state that it was read for. */
export interface DecodedSegment {
  readonly segment: Segment
  /** To be called with the number that the segment has got. False when vectors are not of this index. */
  loadVectors(number: number): boolean
}

/** Null for bytes that are no segment of this format. The segment keeps the bytes. */
export function decodeSegment(state: IndexState, chunks: readonly Uint8Array[]): DecodedSegment | null {
  if (chunks.length < fixedChunks) return null
  const [legendBytes, columnBytes, idBytes, termBytes, postingBytes, rowBytes, tokenBytes, totalBytes] =
    chunks as readonly [Uint8Array, ...Uint8Array[]] & Record<1 | 2 | 3 | 4 | 5 | 6 | 7, Uint8Array>
  const legend = JSON.parse(Buffer.from(legendBytes).toString()) as Legend
  const { count, terms, table, spaces } = legend
  if (count > SEGMENT_SLOTS || spaces.reduce((sum, space) => sum + space.chunks, fixedChunks) !== chunks.length)
    return null
  const numbers = numbersOf(state, legend)
  const columns = columnsIn(columnBytes, count, constantsIn(legend, numbers))
  if (columns === null || idBytes.length < count * 4) return null
  const numberBytes = (table + 2 * terms) * 4
  if (termBytes.length < numberBytes + terms) return null
  renumber(columns, legend, numbers)
  const [ids] = split(idBytes, [count])
  const [found, ends, termEnds] = split(termBytes, [table, terms, terms])
  const segment = new Segment({
    columns,
    ids: new Texts(idBytes.subarray(count * 4), ids!),
    postings: new SealedPostings({
      terms: new Texts(termBytes.subarray(numberBytes + terms), termEnds!),
      table: found!,
      words: numbersIn(Uint16Array, postingBytes),
      ends: ends!,
      highest: termBytes.subarray(numberBytes, numberBytes + terms),
    }),
    terms: numbersIn(Uint16Array, rowBytes),
    tokens: numbersIn(Uint16Array, tokenBytes),
    tokenTotals: numbersIn(Uint16Array, totalBytes),
  })
  return {
    segment,
    loadVectors(number) {
      let at = fixedChunks
      return spaces.every(({ name, dimensions, chunks: length }) => {
        const saved = chunks.slice(at, at + length)
        at += length
        return state.vectors.load(name, dimensions, number, saved)
      })
    },
  }
}

/** Numbers of the segment's own, so that it names nothing of other segments. */
class Renumbering {
  /** In the order of the new numbers: the former ones. */
  readonly numbers: number[] = []
  readonly #known = new Map<number, number>()

  of(number: number): number {
    const known = this.#known.get(number)
    if (known !== undefined) return known
    this.#known.set(number, this.numbers.length)
    return this.numbers.push(number) - 1
  }
}

/** Numbers of the state for those of the segment, in the columns that have such. */
function numbersOf(state: IndexState, legend: Legend): { readonly [Name in 'scope' | 'kind' | 'actor']: number[] } {
  return {
    scope: legend.scopes.map((scope) => state.scopes.numberOf(scope)),
    kind: legend.kinds.map((kind) => state.kinds.numberOf(kind)),
    // 0 stands for none.
    actor: [0, ...legend.actors.map((actor) => state.actors.numberOf(actor) + 1)],
  }
}

function constantsIn({ constants }: Legend, numbers: ReturnType<typeof numbersOf>): Constants {
  const own = Object.entries(constants).map(([name, value]) => {
    const number = Number(value)
    return [name, name in numbers ? numbers[name as 'scope'][number]! : number]
  })
  return Object.fromEntries(own)
}

function renumber(columns: Columns, legend: Legend, numbers: ReturnType<typeof numbersOf>): void {
  const { status } = columns
  for (const [name, known] of Object.entries(numbers)) {
    // Those of the first segment are mostly the same already.
    if (legend.constants[name] !== undefined || known.every((number, own) => number === own)) continue
    const column = columns[name as 'scope']
    for (let place = 0; place < status.length; place++) {
      if (status[place] !== 0) column[place] = known[column[place]!]!
    }
  }
}

function jsonNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Arrays of so many numbers, one after the other from the start. */
function split(bytes: Uint8Array, lengths: readonly number[]): Uint32Array[] {
  const all = numbersIn(Uint32Array, bytes)
  let at = 0
  return lengths.map((length) => {
    at += length
    return all.subarray(at - length, at)
  })
}
