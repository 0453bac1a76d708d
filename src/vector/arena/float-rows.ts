import { blockRows, type KernelMemory } from '../kernel/index.ts'
import type { Areas } from './areas.ts'
import { Blocks } from './blocks.ts'

/** What is left of the float32 rows when there are more rows than may be kept: those that were asked for last. */
const cachedShare = 1 / 8

/** The float32 rows that are in memory: all of them, or the last ones that were written or fetched. */
export class FloatRows {
  readonly blocks: Blocks
  readonly #memory: KernelMemory
  readonly #stride: number
  #most: number
  #isCache = false
  /** By row: its place plus 1; 0 for none. */
  #placeOf = new Uint32Array(0)
  /** By place: its row plus 1; 0 for none. */
  #rowOf = new Uint32Array(0)
  #count = 0
  #empty: number[] = []
  #oldest = 0

  /** @param most rows that are kept as long as there are no more of them */
  constructor(memory: KernelMemory, areas: Areas, stride: number, most: number) {
    this.blocks = new Blocks(memory, areas, 4 * stride)
    this.#memory = memory
    this.#stride = stride
    this.#most = most
  }

  /** The place of a row among the blocks; -1 when it is not in memory. */
  place(row: number): number {
    return (this.#placeOf[row] ?? 0) - 1
  }

  address(place: number): number {
    return this.blocks.address(place, 0, 4 * this.#stride)
  }

  /** Keeps a row, in place of the oldest one when there is no room. */
  keep(row: number, unit: Float32Array): void {
    const place = this.#placeFor(row)
    if (place < 0) return
    const at = this.address(place) / 4
    this.#memory.f32.set(unit, at)
    this.#memory.f32.fill(0, at + unit.length, at + this.#stride)
  }

  /** A copy; null when it is not in memory. */
  read(row: number, dimensions: number): Float32Array | null {
    const place = this.place(row)
    if (place < 0) return null
    const at = this.address(place) / 4
    return this.#memory.f32.slice(at, at + dimensions)
  }

  drop(row: number): void {
    const place = this.place(row)
    if (place < 0) return
    this.#placeOf[row] = 0
    this.#rowOf[place] = 0
    this.#empty.push(place)
    const at = this.address(place) / 4
    this.#memory.f32.fill(0, at, at + this.#stride)
  }

  /** Follows the number of rows there are: past the most, only a cache remains. */
  follow(rows: number): void {
    if (this.#isCache || rows <= this.#most) return
    this.#isCache = true
    this.#most = Math.floor(this.#most * cachedShare)
    this.#placeOf = new Uint32Array(0)
    this.#rowOf = new Uint32Array(0)
    this.#count = 0
    this.#oldest = 0
    this.#empty = []
    this.blocks.keep(Math.ceil(this.#most / blockRows))
  }

  #placeFor(row: number): number {
    const known = this.place(row)
    if (known >= 0) return known
    const place = this.#empty.pop() ?? (this.#count < this.#most ? this.#count++ : this.#oldestPlace())
    if (place < 0) return place
    this.blocks.reserve(place + 1)
    this.#placeOf = withRoom(this.#placeOf, row + 1)
    this.#rowOf = withRoom(this.#rowOf, place + 1)
    const former = this.#rowOf[place]!
    if (former > 0) this.#placeOf[former - 1] = 0
    this.#placeOf[row] = place + 1
    this.#rowOf[place] = row + 1
    return place
  }

  #oldestPlace(): number {
    if (this.#most < 1) return -1
    const place = this.#oldest
    this.#oldest = (place + 1) % Math.floor(this.#most)
    return place
  }
}

function withRoom(numbers: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= numbers.length) return numbers
  const larger = new Uint32Array(Math.max(length, 2 * numbers.length, 64))
  larger.set(numbers)
  return larger
}
