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
  let waiting = new Map<string, Touch[]>()
  let writing: ReadonlyMap<string, readonly Touch[]> = new Map()
  let count = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    if (count === 0) return
    writing = waiting
    waiting = new Map()
    count = 0
    const touches = [...writing.values()].flat()
    try {
      await store.derive([], touches)
    } catch (error) {
      // Counts are bookkeeping: losing some is told to the log and to nobody else.
      logger.warn?.('access counts were not written', { count: touches.length, error: String((error as Error)?.name) })
    } finally {
      writing = new Map()
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
      for (const id of ids) {
        const touches = waiting.get(id)
        if (touches === undefined) waiting.set(id, [{ id, at }])
        else touches.push({ id, at })
      }
      count += ids.length
      if (count >= flushAt) void flush()
      else if (count > 0 && timer === undefined) timer = setTimeout(() => void flush(), flushAfterMs).unref()
    },
    withCounts(record) {
      const { id } = record
      if (!writing.has(id) && !waiting.has(id)) return record
      const mine = [...(writing.get(id) ?? []), ...(waiting.get(id) ?? [])]
      const last = Math.max(
        ...mine.map((touch) => touch.at),
        record.lastAccessedAt ? Date.parse(record.lastAccessedAt) : 0,
      )
      const accessCount = record.accessCount + mine.length
      return Object.assign({}, record, { accessCount, lastAccessedAt: formatInstant(last) })
    },
    flush,
  }
}
