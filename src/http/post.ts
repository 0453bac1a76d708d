import { MnemeError } from '../errors/index.ts'
import type { Connection } from './connection.ts'

/** Of the body of a refusal, what is read at most. */
const complaintCharacters = 4_000
/** And so long it is waited for: the status has said what matters. */
const complaintMs = 1_000

export interface Sending {
  /** Goes out as JSON. */
  readonly body: object
  readonly signal?: AbortSignal | undefined
  /** Longest wait for the answer, read to its end. @default as long as the signal lets it */
  readonly timeoutMs?: number | undefined
  /** Keep what the server said when it refused. @default false: servers like to echo what they were sent */
  readonly keepComplaint?: boolean | undefined
}

/** Why there is no answer. Free of content: `reason` may be shown. */
export interface HttpFailure {
  readonly reason: string
  readonly status?: number
  /** What the server asked for with Retry-After. */
  readonly retryAfterMs?: number
  /** An answer was on its way. */
  readonly hasBegun: boolean
  /** The server understood and said no: another attempt can't change that. */
  readonly isRefusal: boolean
  /** Only to be looked at, never to be shown: it may quote the request. */
  readonly complaint?: string
}

export type Posted<T> = { readonly answer: T } | { readonly failure: HttpFailure }

/**
 * One attempt to post; redirects are not followed. `read` gets the 2xx answer; what it throws is a failure of the connection,
 * unless it is an error of mneme.
 * @throws the signal's reason on cancellation
 */
export async function post<T>(
  { url, headers, fetch }: Connection,
  { body, signal, timeoutMs, keepComplaint = false }: Sending,
  read: (response: Response) => Promise<T>,
): Promise<Posted<T>> {
  signal?.throwIfAborted()
  // Not AbortSignal.any: on Node 20 it grows a long-lived signal's memory with every call.
  const controller = new AbortController()
  const abort = () => controller.abort()
  signal?.addEventListener('abort', abort, { once: true })
  let timedOut = false
  let hasBegun = false
  const expire = () => {
    timedOut = true
    abort()
  }
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: controller.signal,
    })
    hasBegun = response.ok
    if (response.ok) return { answer: await read(response) }
    const complaint = keepComplaint ? await complaintOf(response) : undefined
    // The rest is left unread.
    await response.body?.cancel().catch(() => undefined)
    return { failure: { ...failureOf(response), ...(complaint === undefined ? {} : { complaint }) } }
  } catch (error) {
    signal?.throwIfAborted()
    if (MnemeError.is(error)) throw error
    const reason = timedOut ? `no complete answer within ${timeoutMs} ms` : networkReason(error)
    return { failure: { reason, hasBegun, isRefusal: false } }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

async function complaintOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  const reader = response.body?.getReader()
  if (!reader) return text
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), complaintMs)
  try {
    while (text.length < complaintCharacters) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    clearTimeout(timer)
    reader.releaseLock()
  }
  return text.slice(0, complaintCharacters)
}

function failureOf({ status, headers }: Response): HttpFailure {
  const isRefusal = !(status >= 500 || status === 408 || status === 425 || status === 429)
  const retryAfterMs = isRefusal ? undefined : parseRetryAfter(headers.get('retry-after'))
  return {
    reason: `HTTP ${status}`,
    status,
    hasBegun: false,
    isRefusal,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** What to check when a server refuses with this status; `otherwise` for what is peculiar to the request. */
export function remedyFor(status: number | undefined, otherwise: string): string {
  if (status === 401 || status === 403) return 'Check apiKey and headers, and whether they may use this model.'
  if (status === 404 || status === 405) return 'Check model, and baseUrl, which usually ends in /v1.'
  // An opaque redirect has status 0.
  if (status !== undefined && status < 400)
    return 'It redirects, which is not followed: set baseUrl to the final address.'
  return otherwise
}

/** The machine-readable code of a network failure. Its message is left out, as it may quote the request. */
function networkReason(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z_]{2,40}$/.test(at.code)) return at.code
  }
  return 'the connection failed'
}

/** Retry-After as milliseconds: it is either seconds or a date. */
export function parseRetryAfter(header: string | null | undefined): number | undefined {
  if (header === null || header === undefined) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
