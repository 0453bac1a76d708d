import { badOption, requireDimensions, requireInteger, requireText } from '../configuration.ts'
import type { Prefixes } from '../prefixes.ts'

export interface OpenAICompatibleOptions extends Prefixes {
  /** Where `/embeddings` lives, e.g. `https://api.openai.com/v1` or `http://localhost:11434/v1` (Ollama). A query part is kept. */
  readonly baseUrl: string
  readonly model: string
  /** Length of the model's vectors, e.g. 1536. Every answer is checked against it. */
  readonly dimensions: number
  /** Ask the server for `dimensions`, for models that can shorten their vectors. Many servers refuse the parameter. @default false */
  readonly requestDimensions?: boolean
  /** Sent as `Authorization: Bearer …`; leave it out for servers without keys. */
  readonly apiKey?: string
  /** Sent with every request, and wins over the headers set here. */
  readonly headers?: Readonly<Record<string, string>>
  /** Longest wait for one attempt, answer included, in milliseconds. @default 30000 */
  readonly timeoutMs?: number
  /** Attempts after the first. @default 2 */
  readonly retries?: number
  /** Pause before the second attempt, in milliseconds; doubles each time, up to 8 s. A server's Retry-After comes first. @default 250 */
  readonly retryDelayMs?: number
  /** Most texts the engine puts in one request. @default 256 */
  readonly maxBatchSize?: number
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch
}

const factory = 'openAICompatible'

/** What requests need, checked once. Held in a closure, so that no printed embedder shows the key. */
export interface Connection {
  readonly url: URL
  readonly headers: Headers
  readonly timeoutMs: number
  readonly retries: number
  readonly retryDelayMs: number
  readonly fetch: typeof globalThis.fetch
}

/** @throws SetupError BAD_CONFIG */
export function parseConnection(options: OpenAICompatibleOptions): Connection {
  requireText(options.model, 'model', factory)
  requireDimensions(options.dimensions, factory)
  const { timeoutMs = 30_000, retries = 2, retryDelayMs = 250, maxBatchSize = 256 } = options
  requireInteger(timeoutMs, 'timeoutMs', factory, 1, 2 ** 31 - 1)
  requireInteger(retries, 'retries', factory, 0, 100)
  requireInteger(retryDelayMs, 'retryDelayMs', factory, 0, 60_000)
  requireInteger(maxBatchSize, 'maxBatchSize', factory, 1, 100_000)
  return {
    url: parseUrl(options.baseUrl),
    headers: parseHeaders(options),
    timeoutMs,
    retries,
    retryDelayMs,
    // Looked up at each call, so that a fetch replaced later is the one used.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
  }
}

function parseUrl(baseUrl: string): URL {
  if (!URL.canParse(baseUrl)) throw badOption(factory, 'baseUrl', 'must be a URL such as https://api.openai.com/v1')
  const url = new URL(baseUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw badOption(factory, 'baseUrl', 'must start with http:// or https://')
  }
  // fetch refuses such URLs, printing them whole.
  if (url.username !== '' || url.password !== '') {
    throw badOption(factory, 'baseUrl', 'must not hold a user name or password; pass apiKey or headers instead')
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`
  url.hash = ''
  return url
}

function parseHeaders({ apiKey, headers = {} }: OpenAICompatibleOptions): Headers {
  const parsed = new Headers({ 'content-type': 'application/json', accept: 'application/json' })
  // The errors of Headers print the value, which may be a key, so they go no further.
  if (apiKey !== undefined) {
    requireText(apiKey, 'apiKey', factory)
    try {
      parsed.set('authorization', `Bearer ${apiKey}`)
    } catch {
      throw badOption(factory, 'apiKey', 'holds characters that no HTTP header may hold, such as a line break')
    }
  }
  try {
    for (const [name, value] of Object.entries(headers)) parsed.set(name, value)
  } catch {
    throw badOption(factory, 'headers', 'holds a name or value that no HTTP header may have')
  }
  return parsed
}
