/** The best few of many, found in one pass. */
export interface TopK {
  /** Takes part when it is among the best so far. */
  offer(item: number, score: number): void
  /** Items of a lower score can't be among the best: nothing else about them needs to be looked at. */
  readonly floor: number
  /** Best first. */
  ranked(): readonly { readonly item: number; readonly score: number }[]
}

/**
 * Keeps the `limit` items of the highest scores.
 * @param before orders items of equal score: negative when the first comes before the second
 */
export function topK(limit: number, before: (a: number, b: number) => number): TopK {
  // A heap whose root is the worst of those kept.
  const items: number[] = []
  const scores: number[] = []
  const worse = (a: number, b: number): boolean =>
    scores[a]! < scores[b]! || (scores[a] === scores[b] && before(items[a]!, items[b]!) > 0)
  const swap = (a: number, b: number): void => {
    const item = items[a]!
    const score = scores[a]!
    items[a] = items[b]!
    scores[a] = scores[b]!
    items[b] = item
    scores[b] = score
  }
  const rise = (from: number): void => {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!worse(at, parent)) return
      swap(at, parent)
      at = parent
    }
  }
  const sink = (count: number): void => {
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= count) return
      const right = left + 1
      const child = right < count && worse(right, left) ? right : left
      if (!worse(child, at)) return
      swap(at, child)
      at = child
    }
  }
  return {
    offer(item, score) {
      if (items.length < limit) {
        items.push(item)
        scores.push(score)
        rise(items.length - 1)
        return
      }
      if (limit <= 0 || score < scores[0]! || (score === scores[0] && before(item, items[0]!) > 0)) return
      items[0] = item
      scores[0] = score
      sink(items.length)
    },
    get floor() {
      if (limit <= 0) return Number.POSITIVE_INFINITY
      return items.length < limit ? Number.NEGATIVE_INFINITY : scores[0]!
    },
    ranked() {
      // The heap itself is sorted, which takes half as long as sorting what it holds with a function.
      for (let count = items.length - 1; count > 0; count--) {
        swap(0, count)
        sink(count)
      }
      const ranked = items.map((item, i) => ({ item, score: scores[i]! }))
      // The worst first: a heap again.
      items.reverse()
      scores.reverse()
      return ranked
    },
  }
}
