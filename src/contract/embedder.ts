/** Cancels an operation. Every call that can take long accepts one, last. */
export interface OperationOptions {
  readonly signal?: AbortSignal | undefined
}

export interface EmbedOptions extends OperationOptions {
  /** Many models embed questions and documents differently, so the purpose is never guessed. */
  readonly purpose: 'document' | 'query'
}

/** Turns texts into vectors. Implementations embed and nothing else: the engine batches, retries and checks what comes back. */
export interface Embedder {
  /** Stored with every vector; a store opened with another id or length is refused. Name model and revision, e.g. `openai:text-embedding-3-small`. */
  readonly id: string
  /** Length of every vector. */
  readonly dimensions: number
  /** Most texts in one call; absent means no limit. */
  readonly maxBatchSize?: number
  /** One vector per text, in order. A vector of zeros means "nothing to embed" and matches nothing. Need not be normalised. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>
}

/** Reorders the best candidates by reading them next to the query. */
export interface Reranker {
  readonly id: string
  /** One finite score per text, in order; higher is better. */
  rerank(query: string, texts: readonly string[], options?: OperationOptions): Promise<readonly number[]>
}
