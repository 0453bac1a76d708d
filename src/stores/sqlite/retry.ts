import { setTimeout } from 'node:timers/promises'
import { backendFailure, isBusy } from './failure.ts'

export interface RetryOptions {
  /** For the message of a failure. */
  readonly operation: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Tries again, with growing random pauses, while another connection holds the lock. SQLite's own waiting would block
 * the event loop, so it is set to a few milliseconds only.
 * @throws BackendError for any failure of SQLite, BACKEND_TIMEOUT when the lock was never free; `signal.reason` when aborted
 */
export async function retryWhileBusy<T>(options: RetryOptions, attempt: () => T | Promise<T>): Promise<T> {
  const { operation, timeoutMs, signal } = options
  const deadline = performance.now() + timeoutMs
  for (let longest = 2; ; longest = Math.min(50, longest * 2)) {
    signal?.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw backendFailure(operation, error)
    }
    await setTimeout(1 + Math.random() * longest)
  }
}

/** Runs one piece of work after the other, in the order in which they came. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    // The caller gets the failure; the next one in line must not.
    last = result.catch(() => undefined)
    return result
  }
}
