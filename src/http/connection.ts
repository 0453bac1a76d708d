import { badOption, requireText } from './options.ts'

/** Where a server is and what it wants to know of who asks. */
export interface Endpoint {
  /** A query part is kept. */
  readonly baseUrl: string
  /** Sent as `Authorization: Bearer …`; leave it out for servers without keys. */
  readonly apiKey?: string
  /** Sent with every request, and wins over the headers set here. */
  readonly headers?: Readonly<Record<string, string>>
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch
}

/** What requests need, checked once. Hold it in a closure, so that nothing that is printed shows the key. */
export interface Connection {
  readonly url: URL
  readonly headers: Headers
  readonly fetch: typeof globalThis.fetch
}

/** The connection to `baseUrl` and `path`, which begins with a slash. @throws SetupError BAD_CONFIG, naming the option and never its value */
export function connectionTo(endpoint: Endpoint, path: string, factory: string): Connection {
  const { fetch = (...request) => globalThis.fetch(...request) } = endpoint
  return {
    url: parseUrl(endpoint.baseUrl, path, factory),
    headers: parseHeaders(endpoint, factory),
    // Looked up at each call, so that a fetch replaced later is the one used.
    fetch,
  }
}

function parseUrl(baseUrl: string, path: string, factory: string): URL {
  if (!URL.canParse(baseUrl)) throw badOption(factory, 'baseUrl', 'must be a URL such as https://api.openai.com/v1')
  const url = new URL(baseUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw badOption(factory, 'baseUrl', 'must start with http:// or https://')
  }
  // fetch refuses such URLs, printing them whole.
  if (url.username !== '' || url.password !== '') {
    throw badOption(factory, 'baseUrl', 'must not hold a user name or password; pass apiKey or headers instead')
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  url.hash = ''
  return url
}

function parseHeaders({ apiKey, headers = {} }: Endpoint, factory: string): Headers {
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
