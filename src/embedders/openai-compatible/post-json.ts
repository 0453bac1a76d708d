import { setTimeout as pause } from 'node:timers/promises'
import { EmbedderError, SetupError } from '../../errors/index.ts'
import type { Connection } from './options.ts'

const longestPauseMs = 8000

/** An attempt that failed in a way another attempt may not. */
interface Failure {
  readonly reason: string
  readonly status?: number
  readonly retryAfterMs?: number
}

/**
 * Body of the server's 2xx answer; tries again where that can help.
 * Messages name the host and never the path, query, headers, body or what the network layer threw: any may hold a secret or
 * a text.
 * @throws SetupError BAD_CONFIG when the server refuses; EmbedderError EMBEDDER_UNAVAILABLE after the last attempt; the
 * signal's reason on cancellation.
 */
export async function postJson(
  connection: Connection,
  embedderId: string,
  signal: AbortSignal | undefined,
  body: object,
): Promise<string> {
  const payload = JSON.stringify(body)
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptPost(connection, embedderId, signal, payload)
    if (typeof outcome === 'string') return outcome
    const pauseMs = outcome.retryAfterMs ?? backOff(connection.retryDelayMs, attempt)
    // Who says "in an hour" is better asked by a later call than waited for.
    if (attempt > connection.retries || pauseMs > Math.max(connection.timeoutMs, longestPauseMs)) {
      throw unavailable(connection, embedderId, outcome, attempt)
    }
    await wait(pauseMs, signal)
  }
}

async function attemptPost(
  { url, headers, timeoutMs, fetch }: Connection,
  embedderId: string,
  signal: AbortSignal | undefined,
  payload: string,
): Promise<string | Failure> {
  signal?.throwIfAborted()
  // Not AbortSignal.any: on Node 20 it grows a long-lived signal's memory with every call.
  const controller = new AbortController()
  const abort = () => controller.abort()
  signal?.addEventListener('abort', abort, { once: true })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    abort()
  }, timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: payload,
      redirect: 'manual',
      signal: controller.signal,
    })
    if (response.ok) return await response.text()
    // Left unread: servers like to echo what they were sent.
    await response.body?.cancel()
    return refusal(response, url.host, embedderId)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof SetupError) throw error
    return { reason: timedOut ? `no complete answer within ${timeoutMs} ms` : networkReason(error) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** @throws SetupError BAD_CONFIG for statuses that trying again can't change. */
function refusal(response: Response, host: string, embedderId: string): Failure {
  const { status } = response
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'))
    return { reason: `HTTP ${status}`, status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  }
  throw new SetupError({
    code: 'BAD_CONFIG',
    message: `The embedding server ${host} refused the request of ${embedderId} with HTTP ${status}. ${remedyFor(status)}`,
    details: { embedder: embedderId, host, status },
  })
}

function remedyFor(status: number): string {
  if (status === 401 || status === 403) return 'Check apiKey and headers, and whether they may use this model.'
  if (status === 404 || status === 405) return 'Check model, and baseUrl, which usually ends in /v1.'
  // An opaque redirect has status 0.
  if (status < 400) return 'It redirects, which is not followed: set baseUrl to the final address.'
  return 'Check model and dimensions, and that no text is longer than the model takes.'
}

/** The machine-readable code of a network failure. Its message is left out, as it may quote the request. */
function networkReason(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z_]{2,40}$/.test(at.code)) return at.code
  }
  return 'the connection failed'
}

function unavailable(
  { url }: Connection,
  embedderId: string,
  { reason, status, retryAfterMs }: Failure,
  attempts: number,
): EmbedderError {
  return new EmbedderError({
    code: 'EMBEDDER_UNAVAILABLE',
    message: `The embedding server ${url.host} of ${embedderId} gave no answer in ${attempts} attempt(s): ${reason}. Check that it runs and is reachable, then try again.`,
    details: {
      embedder: embedderId,
      host: url.host,
      attempts,
      reason,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  })
}

/** Half fixed, half random, so that callers turned away together don't come back together. */
function backOff(firstMs: number, attempt: number): number {
  const longest = Math.min(longestPauseMs, firstMs * 2 ** (attempt - 1))
  return longest / 2 + Math.random() * (longest / 2)
}

/** Retry-After as milliseconds: it is either seconds or a date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pause(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
