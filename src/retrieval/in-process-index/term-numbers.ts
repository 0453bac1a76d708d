import type { IndexState } from './index-state.ts'
import type { TermQuery } from './term-query.ts'

/** Terms whose numbers are remembered: a query's words come again, in its description and in other queries. */
const KEPT = 1_000
const UNKNOWN = -2

const remembered = new WeakMap<IndexState, Map<string, Int32Array>>()

/** The numbers of a query's terms in segments, which are the same for ever once another segment has followed. */
export function termNumbers(state: IndexState, { terms, keys }: TermQuery): (segment: number) => Int32Array {
  const known = terms.map((term) => numbersOf(state, term))
  return (number) => {
    const { postings } = state.segments[number]!
    const closed = number < state.segments.length - 1
    const numbers = new Int32Array(terms.length)
    for (let t = 0; t < terms.length; t++) {
      const column = known[t]!
      let found = closed && number < column.length ? column[number]! : UNKNOWN
      if (found === UNKNOWN) {
        found = postings.numberOf(keys[t]!, terms[t]!)
        if (closed) column[number] = found
      }
      numbers[t] = found
    }
    return numbers
  }
}

/** By segment; what is beyond its end when it is asked for is not remembered. */
function numbersOf(state: IndexState, term: string): Int32Array {
  let columns = remembered.get(state)
  if (columns === undefined) {
    columns = new Map()
    remembered.set(state, columns)
  }
  const known = columns.get(term)
  if (known !== undefined && known.length >= state.segments.length) return known
  const column = new Int32Array(Math.max(16, 2 ** Math.ceil(Math.log2(state.segments.length + 1)))).fill(UNKNOWN)
  if (known !== undefined) column.set(known)
  if (columns.size >= KEPT && known === undefined) columns.delete(columns.keys().next().value as string)
  columns.set(term, column)
  return column
}
