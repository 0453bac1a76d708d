import { bm25Term, idf, queryTerms, termCounts } from '../../text/index.ts'

interface Text {
  readonly id: string
  readonly content: string
}

/**
 * The yardstick: BM25 over the bare texts with every word of the question, stop words included, and nothing else.
 * @returns the ids of what holds any word of a question, best first; equals in the order of the texts
 */
export function plainBm25(texts: readonly Text[]): (question: string) => string[] {
  const counted = texts.map(({ content }) => new Map(termCounts(content)))
  const lengths = counted.map((counts) => [...counts.values()].reduce((sum, count) => sum + count, 0))
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, texts.length)
  return (question) => {
    const scores = new Float64Array(texts.length)
    for (const term of queryTerms(question)) {
      const termIdf = idf(counted.filter((counts) => counts.has(term)).length, texts.length)
      counted.forEach((counts, i) => {
        const frequency = counts.get(term)
        if (frequency) scores[i]! += bm25Term(termIdf, frequency, lengths[i]!, average)
      })
    }
    return texts
      .map(({ id }, i) => ({ id, score: scores[i]! }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ id }) => id)
  }
}
