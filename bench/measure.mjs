import { rm } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'

/** The value below which the given share lies: always one that was measured. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

export const median = (values) => quantile(values, 0.5)

/** Milliseconds: the usual, the slow and the fastest. */
export const summary = (times) => ({
  p50: median(times),
  p95: quantile(times, 0.95),
  fastest: Math.min(...times),
  count: times.length,
})

/** How long a promise takes, in milliseconds. */
export async function timed(action) {
  const start = performance.now()
  await action()
  return performance.now() - start
}

/**
 * Times one action for each item, in order, until the seconds are over but at least ten times. Between two, whatever
 * waits gets its turn, as it would between two requests.
 */
export async function timeEach(items, action, { seconds = 60 } = {}) {
  const times = []
  const end = performance.now() + seconds * 1000
  for (const item of items) {
    times.push(await timed(() => action(item)))
    await setImmediate()
    if (times.length >= 10 && performance.now() > end) break
  }
  return times
}

/** Repeats the actions until the engine has compiled what it will compile: ten times each or some seconds, three at least. */
export async function warmUp(items, action) {
  const end = performance.now() + 2000
  for (let done = 0; done < 10 * items.length && (done < 3 || performance.now() < end); done++) {
    await action(items[done % items.length])
  }
}

/** Warms up twice: what a first search leaves to be done by the way is done in between, also where it takes seconds. */
export async function settle(size, items, action) {
  await warmUp(items, action)
  if (size < 10_000) return
  await setTimeout(size < 1_000_000 ? 3000 : 15_000)
  await warmUp(items, action)
}

/** Runs an action while a timer of one millisecond looks how late it comes. */
export async function watchingLoop(action) {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const value = await action()
  // What blocked last is seen by a timer that comes after it.
  await setImmediate()
  delays.disable()
  const ms = (nanoseconds) => nanoseconds / 1e6
  return { value, loop: { p50: ms(delays.percentile(50)), p99: ms(delays.percentile(99)), longest: ms(delays.max) } }
}

/** A database file with what SQLite keeps beside it. */
export async function removeDatabase(path) {
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true })
}
