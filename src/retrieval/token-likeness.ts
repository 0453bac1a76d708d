import type { TokenTable } from '../contract/index.ts'

// Two unrelated pieces have a cosine of about .1 to .3 in the table: up to here, likeness is noise.
export const NOISE = 0.3
/** Tokens of queries that are remembered, of each table: a few kilobytes each. */
const REMEMBERED = 2048

/** The tokens that are alike to one of a query, of those that it was compared with. */
export interface Likeness {
  readonly tokens: readonly number[]
  /** Above `NOISE`. */
  readonly cosines: readonly number[]
}

// Shared: nothing awaits while it is in use.
let room = new Int32Array(0)

class Comparisons implements Likeness {
  readonly tokens: number[] = []
  readonly cosines: number[] = []
  /** A bit for each token that it was compared with. */
  #compared = new Uint8Array(0)

  /** Compares it with those of the others that it was not compared with yet. */
  extend(table: TokenTable, token: number, others: Int32Array): void {
    const missing = this.#missing(others)
    if (missing.length === 0) return
    const cosines = table.similarities(token, missing)
    for (let i = 0; i < missing.length; i++) {
      const other = missing[i]!
      this.#add(other)
      if (cosines[i]! <= NOISE) continue
      this.tokens.push(other)
      this.cosines.push(cosines[i]!)
    }
  }

  #missing(others: Int32Array): Int32Array {
    const compared = this.#compared
    if (room.length < others.length) room = new Int32Array(2 * others.length)
    let count = 0
    for (let i = 0; i < others.length; i++) {
      const token = others[i]!
      const byte = token >> 3
      if (byte >= compared.length || (compared[byte]! & (1 << (token & 7))) === 0) room[count++] = token
    }
    return room.subarray(0, count)
  }

  #add(token: number): void {
    const byte = token >> 3
    if (byte >= this.#compared.length) {
      const larger = new Uint8Array(Math.max(byte + 1, 2 * this.#compared.length))
      larger.set(this.#compared)
      this.#compared = larger
    }
    this.#compared[byte]! |= 1 << (token & 7)
  }
}

// Tables never change, and most pieces come again in other queries and other records.
const remembered = new WeakMap<TokenTable, Map<number, Comparisons>>()

/** What is alike to a token, among the others at least. Two tokens are compared once. */
export function likenessOf(table: TokenTable, token: number, others: Int32Array): Likeness {
  let known = remembered.get(table)
  if (known === undefined) {
    known = new Map()
    remembered.set(table, known)
  }
  const comparisons = known.get(token) ?? new Comparisons()
  comparisons.extend(table, token, others)
  // The last one asked for stands last.
  known.delete(token)
  known.set(token, comparisons)
  if (known.size > REMEMBERED) known.delete(known.keys().next().value as number)
  return comparisons
}
