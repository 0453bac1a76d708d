import { setTimeout as pause } from 'node:timers/promises'
import { EmbedderError, SetupError } from '../../errors/index.ts'
import { backOff, type HttpFailure, longestPauseMs, post, remedyFor } from '../../http/index.ts'
import type { EmbeddingConnection } from './options.ts'

/**
 * Body of the server's 2xx answer; tries again where that can help.
 * Messages name the host and never the path, query, headers, body or what the network layer threw: any may hold a secret or
 * a text.
 * @throws SetupError BAD_CONFIG when the server refuses; EmbedderError EMBEDDER_UNAVAILABLE after the last attempt; the
 * signal's reason on cancellation.
 */
export async function postJson(
  connection: EmbeddingConnection,
  embedderId: string,
  signal: AbortSignal | undefined,
  body: object,
): Promise<string> {
  const { timeoutMs } = connection
  for (let attempt = 1; ; attempt++) {
    const posted = await post(connection, { body, signal, timeoutMs }, (response) => response.text())
    if ('answer' in posted) return posted.answer
    const { failure } = posted
    if (failure.isRefusal) throw refused(connection, embedderId, failure)
    const pauseMs = failure.retryAfterMs ?? backOff(connection.retryDelayMs, attempt)
    // Who says "in an hour" is better asked by a later call than waited for.
    if (attempt > connection.retries || pauseMs > Math.max(timeoutMs, longestPauseMs)) {
      throw unavailable(connection, embedderId, failure, attempt)
    }
    await wait(pauseMs, signal)
  }
}

function refused({ url }: EmbeddingConnection, embedderId: string, { status = 0 }: HttpFailure): SetupError {
  const remedy = remedyFor(status, 'Check model and dimensions, and that no text is longer than the model takes.')
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `The embedding server ${url.host} refused the request of ${embedderId} with HTTP ${status}. ${remedy}`,
    details: { embedder: embedderId, host: url.host, status },
  })
}

function unavailable(
  { url }: EmbeddingConnection,
  embedderId: string,
  { reason, status, retryAfterMs }: HttpFailure,
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

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pause(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
