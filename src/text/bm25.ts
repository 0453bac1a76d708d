/** How soon more of the same term stops counting. */
export const K1 = 1.2
/** How much long documents are held back, 0 to 1. */
export const B = 0.75

/**
 * What a term is worth: ln(1 + (N − n + .5) / (n + .5)), always above 0, so that a word in most records of a small store
 * still counts (SPEC TXT-10).
 * @param n documents with the term, @param N documents in all: both of exactly what the read may see
 */
export function idf(n: number, N: number): number {
  // Counts taken at slightly different moments may disagree; more documents than there are would give a NaN.
  const having = Math.min(n, N)
  return Math.log(1 + (N - having + 0.5) / (having + 0.5))
}

/**
 * What one term adds to the score of a document (Robertson and Walker's BM25).
 * @param tf how often the term occurs in the document
 * @param length the sum of the document's term frequencies
 * @param averageLength the mean of that over what the read may see; 0 (nothing there) counts every document as average
 */
export function bm25Term(termIdf: number, tf: number, length: number, averageLength: number): number {
  const relativeLength = averageLength > 0 ? length / averageLength : 1
  return (termIdf * tf * (K1 + 1)) / (tf + K1 * (1 - B + B * relativeLength))
}

/** The score no document can exceed: Σ idf · (k1 + 1). Makes scores of different queries comparable. */
export function bm25Max(idfs: Iterable<number>): number {
  let sum = 0
  for (const each of idfs) sum += each * (K1 + 1)
  return sum
}
