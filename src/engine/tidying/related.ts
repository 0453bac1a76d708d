/** A memory, as far as it matters which others it may belong to. */
export interface Related {
  readonly length: number
  readonly terms: readonly string[]
}

/** A word that more memories have tells nothing of which belong together. */
const commonFrom = 20

/**
 * Memories in lots that fit into one question, by the rare words that they share: each word is looked at once, so that no memory is compared
 * with each of the others. Those that share none with any other are in no lot. The same memories give the same lots.
 */
export function relatedLots(all: readonly Related[], room: number): number[][] {
  const holders = new Map<string, number[]>()
  for (const [i, { terms }] of all.entries()) {
    for (const term of terms) {
      const known = holders.get(term)
      if (!known) holders.set(term, [i])
      else if (known.length <= commonFrom) known.push(i)
    }
  }
  const seen = new Set<number>()
  const lots: number[][] = []
  let lot: number[] = []
  let used = 0
  const close = () => {
    if (lot.length > 1) lots.push(lot)
    lot = []
    used = 0
  }
  for (const start of all.keys()) {
    if (seen.has(start)) continue
    seen.add(start)
    const found = [start]
    for (let at = 0; at < found.length; at++) {
      for (const term of (all[found[at] as number] as Related).terms) {
        const near = holders.get(term) ?? []
        if (near.length > commonFrom) continue
        for (const one of near) {
          if (seen.has(one)) continue
          seen.add(one)
          found.push(one)
        }
      }
    }
    // Those who have nobody have nothing to be merged with.
    if (found.length === 1) continue
    for (const one of found) {
      const { length } = all[one] as Related
      if (used + length > room) close()
      lot.push(one)
      used += length
    }
  }
  close()
  return lots
}
