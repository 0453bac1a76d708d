const KEPT = 2 ** 15

/** Ids of slots as strings: to make one costs more than to score its record. A few megabytes at most. */
export class RecentIds {
  /** By the lowest bits of the slot. */
  readonly #ids: string[] = []
  readonly #slots = new Map<string, number>()

  /** The slot that had the id last, of those that are remembered. */
  slotOf(id: string): number | undefined {
    return this.#slots.get(id)
  }

  idOf(slot: number): string | undefined {
    const id = this.#ids[slot & (KEPT - 1)]
    return id !== undefined && this.#slots.get(id) === slot ? id : undefined
  }

  add(slot: number, id: string): string {
    const place = slot & (KEPT - 1)
    const former = this.#ids[place]
    if (former !== undefined) this.#slots.delete(former)
    while (this.#ids.length < place) this.#ids.push('')
    this.#ids[place] = id
    this.#slots.set(id, slot)
    return id
  }
}
