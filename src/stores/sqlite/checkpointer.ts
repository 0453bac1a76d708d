import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** From this length on the WAL is brought into the file, in pages. A checkpoint writes each page once however often it changed. */
export const walPages = 4000
/** From this length on the WAL is to begin anew: room that a file grows by costs the system more than room it writes over. */
const longWal = 4 * walPages

/** So often a pause tries to reach the end where other processes are in the way. */
const mostTries = 3

/** Brings the WAL into the file beside everything else: in the thread of the event loop that would take tens of milliseconds. */
export interface Checkpointer {
  /** Hears about how many pages were written. */
  wrote(pages: number): void
  /**
   * To be awaited before a transaction, mostly null: what is written while the thread is at work keeps it from reaching the
   * end, and only from there can the WAL begin anew. So, some ten milliseconds in a thousand commits and more, nothing is written.
   */
  pause(): Promise<void> | null
  /** Resolves when its connection is closed. */
  stop(): Promise<void>
}

// As text and in CommonJS, because a file of its own would have to be found from bundles and from sources alike.
// PASSIVE waits for nobody and nobody waits for it. RESTART keeps other writers out as long as it takes, where it can. What
// can't be done now is left to the next one.
const program = `
const { parentPort, workerData: { module, path } } = require('node:worker_threads')
const { DatabaseSync } = require(module)
const database = new DatabaseSync(path)
database.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 100')
function checkpoint(mode) {
  try { return { ...database.prepare('PRAGMA wal_checkpoint(' + mode + ')').get() } } catch { return {} }
}
parentPort.on('message', (message) => {
  if (message !== 'end') return parentPort.postMessage(checkpoint(message))
  database.close()
  parentPort.close()
})
`

/** @param module where the thread finds the driver. @param onFailure hears that there is no such thread */
export function createCheckpointer(module: string, path: string, onFailure: () => void): Checkpointer {
  let worker: Worker | null = null
  let failed = false
  let busy = false
  let stopping = false
  /** Written since the thread was last asked for a checkpoint. */
  let pages = 0
  /** To reach the end, in this pause. */
  let tries = 0
  let pause: { readonly over: Promise<void>; end(): void } | null = null

  function begin(mode: 'PASSIVE' | 'RESTART'): void {
    pages = 0
    busy = true
    worker ??= start()
    worker.postMessage(mode)
  }

  /** Commits that wait keep the process alive. */
  function beginPause(): void {
    if (pause !== null) return
    let end = (): void => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    pause = { over, end }
    worker?.ref()
  }

  function endPause(): void {
    pause?.end()
    pause = null
    // Closing waits for the thread: a process with nothing else to do must not end before that.
    if (!stopping) worker?.unref()
  }

  function start(): Worker {
    const started = new Worker(program, { eval: true, workerData: { module, path } })
    // Nothing is lost when the process ends before it.
    started.unref()
    started.on('message', ({ busy: hindered = 0, log = 0 }: { busy?: number; log?: number }) => {
      busy = false
      const goesOn = tries === 0 ? log + pages >= longWal : hindered === 1 && tries < mostTries
      if (!goesOn || stopping) {
        tries = 0
        return endPause()
      }
      tries++
      beginPause()
      begin('RESTART')
    })
    started.on('error', () => {
      failed = true
      endPause()
      onFailure()
    })
    return started
  }

  return {
    wrote(more) {
      pages += more
      if (failed || pages < walPages) return
      if (!busy) begin('PASSIVE')
      // The thread does not keep up.
      else if (pages >= 2 * walPages) beginPause()
    },
    pause: () => pause?.over ?? null,
    async stop() {
      if (worker === null || failed) return
      stopping = true
      const ended = once(worker, 'exit')
      worker.ref()
      worker.postMessage('end')
      // Rejects when the thread fails instead, and then it has ended too.
      await ended.catch(() => undefined)
    },
  }
}
