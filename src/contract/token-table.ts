/**
 * Word pieces and how alike they are: what the token match of search compares.
 * Soft matching needs no model run: every pair is one dot product of two stored rows.
 */
export interface TokenTable {
  /** Stored with every record's token set; another id means the sets must be made anew. */
  readonly id: string
  /** The distinct token ids of a text, ascending. */
  tokens(text: string): readonly number[]
  /** Cosine of token `a` with each of `others`, in order, -1..1. */
  similarities(a: number, others: ArrayLike<number>): Float32Array
}
