import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Connection } from './connection.ts'

/** From this length on the WAL is brought into the file, in pages. A checkpoint writes each page once however often it changed. */
export const walPages = 4000
/** As many take a millisecond or two. */
const fewPages = 400
/** A WAL of that length is cut short whatever it takes. */
const mostPages = 16 * walPages

/** Brings the WAL into the file beside everything else: in the thread of the event loop that would take tens of milliseconds. */
export interface Checkpointer {
  /** Hears about how many pages were written. */
  wrote(pages: number): void
  /**
   * Call before a transaction: what was written while the thread was at work kept it from reaching the end, so that the
   * WAL would only ever grow. The little that is left the writer does itself, as nobody writes then.
   */
  finish(writer: Connection): void
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
  let pages = 0
  let nearlyDone = false

  function begin(): void {
    pages = 0
    busy = true
    worker ??= start()
    worker.postMessage('checkpoint')
  }

  function start(): Worker {
    const started = new Worker(program, { eval: true, workerData: { module, path } })
    // Nothing is lost when the process ends before it.
    started.unref()
    started.on('message', ({ log = 0, checkpointed = 0 }: { log?: number; checkpointed?: number }) => {
      busy = false
      const left = log - checkpointed
      if (log < 2 * walPages || left === 0) return
      // Each time less is left, as less was written meanwhile.
      if (left <= fewPages || log >= mostPages) nearlyDone = true
      else begin()
    })
    started.on('error', () => {
      failed = true
      onFailure()
    })
    return started
  }

  return {
    wrote(more) {
      pages += more
      if (pages >= walPages && !busy && !failed) begin()
    },
    finish(writer) {
      if (!nearlyDone || busy) return
      nearlyDone = false
      writer.sql('PRAGMA wal_checkpoint(PASSIVE)').get()
    },
    async stop() {
      if (worker === null || failed) return
      const ended = once(worker, 'exit')
      worker.ref()
      worker.postMessage('end')
      // Rejects when the thread fails instead, and then it has ended too.
      await ended.catch(() => undefined)
    },
  }
}
