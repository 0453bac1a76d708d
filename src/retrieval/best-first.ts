/** Places from 0 on, with what orders them. */
export interface Order {
  /** By place: no key is above it. Taken over and written to. */
  readonly bounds: Float64Array
  /** The key of a place, asked for once at most. */
  keyOf(place: number): number
  /** Orders places of equal key: negative when the first comes before the second. */
  before(a: number, b: number): number
}

/** Places by descending key, one after the other: keys are worked out, and places put in order, only as far as somebody asks. */
export function* bestFirst({ bounds: keys, keyOf, before }: Order): Generator<number, void, undefined> {
  let count = keys.length
  const known = new Uint8Array(count)
  // A heap. Of equal keys those that are only bounds go first, as they may turn out to be less.
  const heap = new Uint32Array(count)
  for (let i = 0; i < count; i++) heap[i] = i
  const goesFirst = (a: number, b: number): boolean => {
    if (keys[a] !== keys[b]) return keys[a]! > keys[b]!
    return known[a] === 0 || (known[b] === 1 && before(a, b) < 0)
  }
  const sink = (from: number): void => {
    const place = heap[from]!
    let at = from
    for (let child = 2 * at + 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && goesFirst(heap[child + 1]!, heap[child]!)) child++
      if (!goesFirst(heap[child]!, place)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = place
  }
  for (let at = (count >> 1) - 1; at >= 0; at--) sink(at)
  while (count > 0) {
    const best = heap[0]!
    if (known[best] === 1) {
      yield best
      heap[0] = heap[--count]!
    } else {
      known[best] = 1
      keys[best] = keyOf(best)
    }
    if (count > 0) sink(0)
  }
}
