import type { MemoryStore, Touch } from '../contract/index.ts'
import { formatInstant, type MemoryRecord } from '../model/index.ts'
import type { Logger } from './seams.ts'

const flushAfterMs = 200
const flushAt = 500

/** Access counts on their way to the store: written a little later and together, so that no read waits for or fails on them. */
export interface TouchQueue {
  add(ids: readonly string[], at: number): void
  /** The record with the counts that are still on their way. */
  withCounts(record: MemoryRecord): MemoryRecord
  flush(): Promise<void>
}

export function createTouchQueue(store: MemoryStore, logger: Logger): TouchQueue {
  let waiting: Touch[] = []
  let writing: readonly Touch[] = []
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    if (waiting.length === 0) return
    writing = waiting
    waiting = []
    try {
      await store.derive([], writing)
    } catch (error) {
      // Counts are bookkeeping: losing some is told to the log and to nobody else.
      logger.warn?.('access counts were not written', { count: writing.length, error: String((error as Error)?.name) })
    } finally {
      writing = []
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running = running.then(write)
    return running
  }

  return {
    add(ids, at) {
      for (const id of ids) waiting.push({ id, at })
      if (waiting.length >= flushAt) void flush()
      else if (waiting.length > 0 && timer === undefined) timer = setTimeout(() => void flush(), flushAfterMs).unref()
    },
    withCounts(record) {
      const mine = [...writing, ...waiting].filter((touch) => touch.id === record.id)
      if (mine.length === 0) return record
      const last = Math.max(
        ...mine.map((touch) => touch.at),
        record.lastAccessedAt ? Date.parse(record.lastAccessedAt) : 0,
      )
      return { ...record, accessCount: record.accessCount + mine.length, lastAccessedAt: formatInstant(last) }
    },
    flush,
  }
}
