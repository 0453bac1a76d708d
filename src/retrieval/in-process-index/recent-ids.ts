const KEPT = 2 ** 15

/** Ids of slots as strings: to make one costs more than to score its record. A few megabytes at most. */
export class RecentIds {
  /** By the lowest bits of a slot: which one it was last, plus 1, and its id. */
  #slots = new Int32Array(0)
  #ids: string[] = []

  idOf(slot: number): string | undefined {
    const place = slot & (KEPT - 1)
    return this.#slots[place] === slot + 1 ? this.#ids[place] : undefined
  }

  add(slot: number, id: string): string {
    if (this.#slots.length === 0) {
      this.#slots = new Int32Array(KEPT)
      this.#ids = new Array<string>(KEPT).fill('')
    }
    const place = slot & (KEPT - 1)
    this.#slots[place] = slot + 1
    this.#ids[place] = id
    return id
  }
}
