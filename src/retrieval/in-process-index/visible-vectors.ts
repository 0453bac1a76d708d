import type { VectorSum } from '../../vector/index.ts'
import { withRoom } from './columns.ts'
import type { VectorRows } from './vector-rows.ts'

/** The vectors of one space that a visible set has, with their sum. Kept up to date by the set. */
export class VisibleVectors {
  readonly #of: VectorRows
  /** Rows in the order of their slots. */
  #room: Uint32Array
  #count = 0
  #sum: VectorSum | null = null
  /** Another number after every change. */
  #revision = 0

  constructor(of: VectorRows, slots: Uint32Array) {
    this.#of = of
    this.#room = new Uint32Array(slots.length)
    for (let i = 0; i < slots.length; i++) {
      const row = of.rowOf(slots[i]!)
      if (row >= 0) this.#room[this.#count++] = row
    }
  }

  get rows(): Uint32Array {
    return this.#room.subarray(0, this.#count)
  }

  get count(): number {
    return this.#count
  }

  /** Follows a slot that has come in, or has got its vector. */
  added(slot: number): void {
    const row = this.#of.rowOf(slot)
    if (row < 0) return
    const place = this.#placeOf(slot)
    this.#room = withRoom(this.#room, this.#count + 1)
    this.#room.copyWithin(place + 1, place, this.#count++)
    this.#room[place] = row
    this.#revision++
    this.#sum?.add(row)
  }

  /** Follows a slot that goes, before its vector is freed. */
  removed(slot: number): void {
    const row = this.#of.rowOf(slot)
    if (row < 0) return
    const place = this.#placeOf(slot)
    this.#room.copyWithin(place, place + 1, this.#count--)
    this.#revision++
    this.#sum?.remove(row)
  }

  /** Adds the vectors up, unless that was done before. */
  async addUp(signal: AbortSignal | undefined): Promise<void> {
    // What changes while others have their turn makes it begin anew, and then without turns.
    for (let pause: (() => Promise<void>) | undefined; this.#sum === null; pause = async () => undefined) {
      const revision = this.#revision
      const sum = await this.#of.arena.sum(this.rows, { pause, signal })
      if (revision === this.#revision) this.#sum ??= sum
    }
  }

  /** The mean cosine of the vectors with a unit vector, once they are added up. */
  meanCosine(unit: Float32Array): number {
    return (this.#sum as VectorSum).meanCosine(unit)
  }

  /** Where a slot's row is or would be. */
  #placeOf(slot: number): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#of.slotOf(this.#room[middle]!) < slot) low = middle + 1
      else high = middle
    }
    return low
  }
}
