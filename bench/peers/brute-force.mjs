import { createBest, dot } from '../truth.mjs'

/** Every vector in one array, every one compared: what one writes in an afternoon. */
export function create({ dimensions, size }) {
  const rows = new Float32Array(size * dimensions)
  const ids = []
  return {
    insert({ ids: added, vectors }) {
      for (const [i, vector] of vectors.entries()) {
        rows.set(vector, ids.length * dimensions)
        ids.push(added[i])
      }
    },
    search(vector, _text, k) {
      const best = createBest(k)
      let floor = best.floor()
      for (let row = 0; row < ids.length; row++) {
        const cosine = dot(vector, rows, row)
        if (cosine <= floor) continue
        best.offer(row, cosine)
        floor = best.floor()
      }
      return best.items.map((row) => ids[row])
    },
  }
}
