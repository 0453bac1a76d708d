import { dotAt, topK } from '../../vector/index.ts'
import { bytesOf, numbersIn } from './bytes.ts'
import { placeOf, SEGMENT_SLOTS, segmentOf, slotAt } from './slots.ts'

/** A search for the nearest vectors. */
export interface NearestQuery {
  /** Of length one. */
  readonly vector: Float32Array
  /** Ascending; those without a vector are passed over. */
  readonly slots: Uint32Array
  /** Which of them may be found. */
  readonly allowed: (slot: number) => boolean
  readonly limit: number
  /** Orders slots of equal cosine. */
  readonly before: (a: number, b: number) => number
}

export interface NearestRows {
  /** Best first. */
  readonly hits: readonly { readonly slot: number; readonly cosine: number }[]
  /** Slots asked for that have a vector, allowed or not. */
  readonly vectors: number
  /** Mean of the cosines of those, 0 when there are none. */
  readonly meanCosine: number
}

/**
 * The unit vectors of one space by slot: all that the index knows about keeping and comparing vectors is behind this.
 *
 * Answers must not depend on when vectors were set and freed, nor on whether they were saved and loaded in between.
 */
export interface VectorRows {
  readonly dimensions: number
  /** Keeps a vector of length one, in place of the slot's former one. */
  set(slot: number, unit: Float32Array): void
  free(slot: number): void
  has(slot: number): boolean
  /** The vector as it was set; null without one. */
  at(slot: number): Float32Array | null
  nearest(query: NearestQuery): Promise<NearestRows>
  /** The same cosines as those of a search, in the order of the slots; null without a vector. */
  cosines(unit: Float32Array, slots: readonly number[]): Promise<readonly (number | null)[]>
  /** Memory that only growing takes can go: this segment's vectors will hardly change any more. */
  seal(segment: number): void
  /** The vectors of the first places of a segment, for `load`. */
  save(segment: number, places: number): readonly Uint8Array[]
  /** Takes over what was saved and may keep the bytes. False when they are not of these rows: nothing is taken over then. */
  load(segment: number, saved: readonly Uint8Array[]): boolean
}

interface Block {
  /** By place: which row, plus 1; 0 without a vector. */
  readonly rowOf: Uint16Array
  rows: Float32Array
  count: number
}

/** Vectors in single precision, all of them compared: exact. */
export function floatRows(dimensions: number): VectorRows {
  const blocks: (Block | undefined)[] = []
  const rowOf = (slot: number): number => blocks[segmentOf(slot)]?.rowOf[placeOf(slot)] ?? 0

  function blockOf(segment: number): Block {
    const known = blocks[segment]
    if (known !== undefined) return known
    const made = { rowOf: new Uint16Array(SEGMENT_SLOTS), rows: new Float32Array(0), count: 0 }
    blocks[segment] = made
    return made
  }

  function addRow(block: Block): number {
    const row = block.count++
    const needed = block.count * dimensions
    if (needed > block.rows.length) {
      const rows = new Float32Array(Math.max(needed, Math.min(2 * block.rows.length, SEGMENT_SLOTS * dimensions)))
      rows.set(block.rows)
      block.rows = rows
    }
    return row
  }

  const rowsOf = (slot: number, row: number): Float32Array =>
    blocks[segmentOf(slot)]!.rows.subarray((row - 1) * dimensions, row * dimensions)

  return {
    dimensions,
    set(slot, unit) {
      const block = blockOf(segmentOf(slot))
      const place = placeOf(slot)
      const row = block.rowOf[place] === 0 ? addRow(block) : block.rowOf[place]! - 1
      block.rowOf[place] = row + 1
      block.rows.set(unit, row * dimensions)
    },
    free(slot) {
      const block = blocks[segmentOf(slot)]
      if (block !== undefined) block.rowOf[placeOf(slot)] = 0
    },
    has: (slot) => rowOf(slot) !== 0,
    at(slot) {
      const row = rowOf(slot)
      return row === 0 ? null : rowsOf(slot, row).slice()
    },
    async cosines(unit, slots) {
      return slots.map((slot) => {
        const row = rowOf(slot)
        return row === 0 ? null : cosineAt(unit, blocks[segmentOf(slot)]!.rows, (row - 1) * dimensions)
      })
    },
    async nearest({ vector, slots, allowed, limit, before }) {
      const best = topK(limit, before)
      let floor = best.floor
      let vectors = 0
      let sum = 0
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]!
        const block = blocks[segmentOf(slot)]
        const row = block === undefined ? 0 : block.rowOf[placeOf(slot)]!
        if (row === 0) continue
        const cosine = cosineAt(vector, block!.rows, (row - 1) * dimensions)
        vectors++
        sum += cosine
        if (cosine < floor || !allowed(slot)) continue
        best.offer(slot, cosine)
        floor = best.floor
      }
      return {
        hits: best.ranked().map(({ item, score }) => ({ slot: item, cosine: score })),
        vectors,
        // The product with the mean is the mean of the products.
        meanCosine: vectors === 0 ? 0 : sum / vectors,
      }
    },
    seal(segment) {
      const block = blocks[segment]
      if (block !== undefined) block.rows = block.rows.slice(0, block.count * dimensions)
    },
    save(segment, end) {
      const block = blocks[segment]
      if (block === undefined) return []
      const places = Uint16Array.from(block.rowOf.keys()).filter((place) => place < end && block.rowOf[place] !== 0)
      const rows = new Float32Array(places.length * dimensions)
      places.forEach((place, i) => {
        rows.set(rowsOf(slotAt(segment, place), block.rowOf[place]!), i * dimensions)
      })
      return [bytesOf(places), bytesOf(rows)]
    },
    load(segment, saved) {
      if (saved.length === 0) return true
      const [placeBytes, rowBytes] = saved
      if (placeBytes === undefined || rowBytes === undefined) return false
      const places = numbersIn(Uint16Array, placeBytes)
      const rows = numbersIn(Float32Array, rowBytes)
      if (rows.length !== places.length * dimensions) return false
      const block = { rowOf: new Uint16Array(SEGMENT_SLOTS), rows, count: places.length }
      places.forEach((place, i) => {
        block.rowOf[place] = i + 1
      })
      blocks[segment] = block
      return true
    },
  }
}

// Vectors of single precision are of length one to seven digits: their product may pass 1.
function cosineAt(unit: Float32Array, rows: Float32Array, offset: number): number {
  return Math.max(-1, Math.min(1, dotAt(unit, rows, offset)))
}
