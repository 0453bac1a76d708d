import type { TokenTable } from '../contract/index.ts'

// Two unrelated pieces have a cosine of about .1 to .3 in the table: up to here, likeness is noise.
export const NOISE = 0.3
/** Tokens of queries that are remembered, of each table: a few kilobytes each. */
const REMEMBERED = 2048

/** A bit for each token, 32 of them in a number. */
export type TokenSet = Uint32Array

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
  /** Those that it was compared with. */
  #compared: TokenSet = new Uint32Array(0)

  /** Compares it with those of the others that it was not compared with yet. */
  extend(table: TokenTable, token: number, others: TokenSet): void {
    const missing = this.#missing(others)
    if (missing.length === 0) return
    const cosines = table.similarities(token, missing)
    for (let word = 0; word < others.length; word++) this.#compared[word]! |= others[word]!
    for (let i = 0; i < missing.length; i++) {
      if (cosines[i]! <= NOISE) continue
      this.tokens.push(missing[i]!)
      this.cosines.push(cosines[i]!)
    }
  }

  #missing(others: TokenSet): Int32Array {
    if (this.#compared.length < others.length) {
      const larger = new Uint32Array(others.length)
      larger.set(this.#compared)
      this.#compared = larger
    }
    const compared = this.#compared
    if (room.length < 32 * others.length) room = new Int32Array(32 * others.length)
    let count = 0
    for (let word = 0; word < others.length; word++) {
      let bits = others[word]! & ~compared[word]!
      for (; bits !== 0; bits &= bits - 1) room[count++] = 32 * word + 31 - Math.clz32(bits & -bits)
    }
    return room.subarray(0, count)
  }
}

// Tables never change, and most pieces come again in other queries and other records.
const remembered = new WeakMap<TokenTable, Map<number, Comparisons>>()

/** What is alike to a token, among the others at least. Two tokens are compared once. */
export function likenessOf(table: TokenTable, token: number, others: TokenSet): Likeness {
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
