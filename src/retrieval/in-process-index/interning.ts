/** Values numbered in the order in which they came: what many records share is kept once. */
export class Interning<T> {
  readonly values: T[] = []
  readonly #numbers = new Map<string, number>()
  readonly #keyOf: (value: T) => string

  constructor(keyOf: (value: T) => string) {
    this.#keyOf = keyOf
  }

  numberOf(value: T): number {
    const key = this.#keyOf(value)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.values.length
    this.#numbers.set(key, number)
    this.values.push(value)
    return number
  }

  /** Undefined for a value that has not come yet. */
  find(value: T): number | undefined {
    return this.#numbers.get(this.#keyOf(value))
  }
}
