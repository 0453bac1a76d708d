/** Numbers that look random and are the same for the same seed, on every platform: sfc32 after Chris Doty-Humphrey. */
export function createRandom(seed) {
  let a = 0x9e3779b9
  let b = 0x243f6a88
  let c = 0xb7e15162
  let counter = seed | 0
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4294967296
  }
  for (let i = 0; i < 16; i++) next()
  const below = (n) => Math.floor(next() * n)
  return {
    next,
    /** A whole number from 0 to n - 1. */
    below,
    pick: (list) => list[below(list.length)],
    /** A whole number from 0 to n - 1, the k-th about 1 / k as often as the first: how words are distributed. */
    zipf: (n) => Math.min(n - 1, Math.floor(Math.exp(next() * Math.log(n + 1))) - 1),
  }
}
