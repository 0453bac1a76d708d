import { BackendError } from '../errors/index.ts'

/** Waits so long and no longer, whether what is asked listens to the signal or not. @throws BackendError BACKEND_TIMEOUT; the signal's reason */
export async function within<T>(
  timeoutMs: number,
  given: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  given?.throwIfAborted()
  const late = new AbortController()
  const timer = setTimeout(() => {
    late.abort(new BackendError({ code: 'BACKEND_TIMEOUT', message: `No answer within ${timeoutMs} ms.` }))
  }, timeoutMs)
  const signal = given ? AbortSignal.any([given, late.signal]) : late.signal
  const ended = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    return await Promise.race([ask(signal), ended])
  } finally {
    clearTimeout(timer)
    // Whoever aborts later aborts nothing that is waited for.
    ended.catch(() => undefined)
  }
}
