import { blockRows, type KernelMemory } from '../kernel/index.ts'
import type { Areas } from './areas.ts'

const firstTable = 64

/** Rows in blocks of memory, found by a table that compiled code reads too. */
export class Blocks {
  /** Address of the table. Moves when there are more blocks than it has room for. */
  table: number
  readonly #memory: KernelMemory
  readonly #areas: Areas
  readonly #bytes: number
  #room = firstTable
  readonly #addresses: number[] = []

  /** @param rowBytes what a row takes in all columns together */
  constructor(memory: KernelMemory, areas: Areas, rowBytes: number) {
    this.#memory = memory
    this.#areas = areas
    this.#bytes = blockRows * rowBytes
    this.table = areas.take(4 * firstTable)
  }

  get count(): number {
    return this.#addresses.length
  }

  /** Makes room for rows below `rows`. */
  reserve(rows: number): void {
    while (this.#addresses.length * blockRows < rows) this.#add()
  }

  /** Gives up blocks past the first few. */
  keep(count: number): void {
    for (const address of this.#addresses.splice(count)) this.#areas.release(address, this.#bytes)
  }

  block(place: number): number {
    return this.#addresses[place]!
  }

  /** Where a row lies in a column of `width` bytes that starts `column` bytes into each block. */
  address(row: number, column: number, width: number): number {
    return this.#addresses[Math.floor(row / blockRows)]! + column + (row % blockRows) * width
  }

  #add(): void {
    const address = this.#areas.take(this.#bytes)
    if (this.#addresses.length === this.#room) this.#moveTable()
    this.#memory.u32[this.table / 4 + this.#addresses.length] = address
    this.#addresses.push(address)
  }

  #moveTable(): void {
    const former = this.table
    this.table = this.#areas.take(8 * this.#room)
    this.#areas.release(former, 4 * this.#room)
    this.#room *= 2
    this.#memory.u32.set(this.#addresses, this.table / 4)
  }
}
