import { setImmediate } from 'node:timers/promises'

/** Longest stretch without giving other work of the process a turn. */
const sliceMilliseconds = 4

/** Work in small pieces: it yields wherever it may be interrupted, and ends with its result. */
export type Work<T> = Generator<undefined, T, undefined>

/** For work that must not be interrupted. */
export function runAtOnce<T>(work: Work<T>): T {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/** Gives other work of the process a turn every few milliseconds. @throws `signal.reason` when aborted meanwhile */
export async function runInTurns<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
  let start = performance.now()
  try {
    for (let step = work.next(); ; step = work.next()) {
      if (step.done === true) return step.value
      if (performance.now() - start < sliceMilliseconds) continue
      await setImmediate()
      signal?.throwIfAborted()
      start = performance.now()
    }
  } finally {
    // Lets the work close what it opened when it did not reach its end.
    work.return(undefined as never)
  }
}
