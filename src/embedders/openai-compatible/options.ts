import { type Connection, connectionTo, type Endpoint } from '../../http/index.ts'
import { requireDimensions, requireInteger, requireText } from '../configuration.ts'
import type { Prefixes } from '../prefixes.ts'

export interface OpenAICompatibleOptions extends Prefixes, Endpoint {
  /** Where `/embeddings` lives, e.g. `https://api.openai.com/v1` or `http://localhost:11434/v1` (Ollama). A query part is kept. */
  readonly baseUrl: string
  readonly model: string
  /** Length of the model's vectors, e.g. 1536. Every answer is checked against it. */
  readonly dimensions: number
  /** Ask the server for `dimensions`, for models that can shorten their vectors. Many servers refuse the parameter. @default false */
  readonly requestDimensions?: boolean
  /** Longest wait for one attempt, answer included, in milliseconds. @default 30000 */
  readonly timeoutMs?: number
  /** Attempts after the first. @default 2 */
  readonly retries?: number
  /** Pause before the second attempt, in milliseconds; doubles each time, up to 8 s. A server's Retry-After comes first. @default 250 */
  readonly retryDelayMs?: number
  /** Most texts the engine puts in one request. @default 256 */
  readonly maxBatchSize?: number
}

const factory = 'openAICompatible'

export interface EmbeddingConnection extends Connection {
  readonly timeoutMs: number
  readonly retries: number
  readonly retryDelayMs: number
}

/** @throws SetupError BAD_CONFIG */
export function parseConnection(options: OpenAICompatibleOptions): EmbeddingConnection {
  requireText(options.model, 'model', factory)
  requireDimensions(options.dimensions, factory)
  const { timeoutMs = 30_000, retries = 2, retryDelayMs = 250, maxBatchSize = 256 } = options
  requireInteger(timeoutMs, 'timeoutMs', factory, 1, 2 ** 31 - 1)
  requireInteger(retries, 'retries', factory, 0, 100)
  requireInteger(retryDelayMs, 'retryDelayMs', factory, 0, 60_000)
  requireInteger(maxBatchSize, 'maxBatchSize', factory, 1, 100_000)
  return { ...connectionTo(options, '/embeddings', factory), timeoutMs, retries, retryDelayMs }
}
