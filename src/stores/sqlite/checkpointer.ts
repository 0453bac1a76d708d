import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** From this length on the WAL is brought into the file, in pages. A checkpoint writes each page once however often it changed. */
export const walPages = 4000
/** From this length on the WAL is to begin anew: room that a file grows by costs the system more than room it writes over. */
const longWal = 4 * walPages

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
// PASSIVE waits for nobody and nobody waits for it. What can't be done now is left to the next one.
const program = `
const { parentPort, workerData: { module, path } } = require('node:worker_threads')
const { DatabaseSync } = require(module)
const database = new DatabaseSync(path)
database.exec('PRAGMA synchronous = FULL')
function checkpoint() {
  try { return { ...database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() } } catch { return {} }
}
parentPort.on('message', (message) => {
  if (message === 'checkpoint') return parentPort.postMessage(checkpoint())
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
  let pause: { readonly over: Promise<void>; end(): void } | null = null

  function begin(): void {
    pages = 0
    busy = true
    worker ??= start()
    worker.postMessage('checkpoint')
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
    started.on('message', ({ log = 0 }: { log?: number }) => {
      busy = false
      if (pages === 0 || log + pages < longWal) return endPause()
      beginPause()
      begin()
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
      if (!busy) begin()
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
