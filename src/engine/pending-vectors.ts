import type { Embedder, ListPosition, MemoryStore, StoredRecord } from '../contract/index.ts'
import { MnemeError } from '../errors/index.ts'
import { allScopes, type ScopeFilter } from '../model/index.ts'
import { textToEmbed } from './analysis.ts'
import type { Clock, Logger } from './seams.ts'
import { embedTexts } from './vectors.ts'

const batch = 64
const firstRetryMs = 1_000
const longestRetryMs = 300_000

interface Attempt {
  readonly attempts: number
  readonly lastError?: string
}

/**
 * Records that wait for their vector. The list itself is in the store (whatever is live and has no vector); this retries
 * by itself with growing pauses, and at once when the embedder is seen to work.
 */
export interface PendingVectors {
  /** An embedding of these records just failed. */
  failed(ids: readonly string[], error: unknown): void
  /** The engine just opened, or the embedder just worked again: look for work at once. */
  wake(): void
  /** The embedder just worked. */
  worked(): void
  /**
   * Embeds what waits in a scope and resolves with how many got their vector; one record that can't be embedded does not
   * keep others waiting. @throws what the embedder throws last, after all were tried
   */
  drain(scope: ScopeFilter, signal?: AbortSignal): Promise<number>
  attemptsOf(id: string): Attempt
  stop(): Promise<void>
}

export function createPendingVectors(
  store: MemoryStore,
  embedder: Embedder | null,
  clock: Clock,
  logger: Logger,
): PendingVectors {
  const attempts = new Map<string, Attempt>()
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let pause = firstRetryMs
  let running: Promise<unknown> = Promise.resolve()

  function note(ids: readonly string[], error: unknown): void {
    const lastError = MnemeError.is(error) ? error.code : 'EMBEDDER_UNAVAILABLE'
    for (const id of ids) attempts.set(id, { attempts: (attempts.get(id)?.attempts ?? 0) + 1, lastError })
  }

  function schedule(after: number): void {
    if (ending.signal.aborted || !embedder || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      drain(allScopes()).then(
        () => {
          pause = firstRetryMs
        },
        (error: unknown) => {
          logger.warn?.('embedding is still failing', { code: MnemeError.is(error) ? error.code : 'unknown' })
          pause = Math.min(pause * 2, longestRetryMs)
          schedule(pause)
        },
      )
    }, after).unref()
  }

  function wake(): void {
    clearTimeout(timer)
    timer = undefined
    pause = firstRetryMs
    schedule(0)
  }

  async function page(scope: ScopeFilter, after: ListPosition | undefined): Promise<readonly StoredRecord[]> {
    const space = (embedder as Embedder).id
    const query = {
      withoutVector: space,
      statuses: 'any' as const,
      now: clock(),
      order: 'oldest' as const,
      limit: batch,
      after,
    }
    return (await store.list(scope, query)).items
  }

  /** Embeds together what can be embedded together: a half that fails is halved again, down to the record that fails. */
  async function embed(items: readonly StoredRecord[], signal: AbortSignal, failures: unknown[]): Promise<number> {
    const texts = items.map(({ record }) => textToEmbed(record))
    try {
      const made = await embedTexts(embedder as Embedder, texts, { purpose: 'document', signal })
      signal.throwIfAborted()
      await store.derive(items.map(({ record: { id, version } }, i) => ({ id, version, vector: made[i] })))
      for (const { record } of items) attempts.delete(record.id)
      return items.length
    } catch (error) {
      signal.throwIfAborted()
      // A server that is away is away for all: only what a text itself can cause is looked for among the halves.
      const away = MnemeError.is(error, 'EMBEDDER_UNAVAILABLE') && failures.length > 0
      if (items.length === 1 || away) {
        note(
          items.map(({ record }) => record.id),
          error,
        )
        failures.push(error)
        return 0
      }
      const half = Math.ceil(items.length / 2)
      return (await embed(items.slice(0, half), signal, failures)) + (await embed(items.slice(half), signal, failures))
    }
  }

  async function run(scope: ScopeFilter, signal: AbortSignal): Promise<number> {
    let done = 0
    const failures: unknown[] = []
    let after: ListPosition | undefined
    for (let items = await page(scope, after); items.length > 0; items = await page(scope, after)) {
      done += await embed(items, signal, failures)
      // By position: a record that changed or failed stays pending and must not be met again in this run.
      const last = items.at(-1) as StoredRecord
      after = { value: Date.parse(last.record.createdAt), id: last.record.id }
    }
    if (failures.length > 0) throw failures.at(-1)
    return done
  }

  /** One run at a time, each with its own signal. */
  function drain(scope: ScopeFilter, signal?: AbortSignal): Promise<number> {
    if (!embedder) return Promise.resolve(0)
    const end = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
    const mine = running.then(() => run(scope, end))
    running = mine.catch(() => undefined)
    return mine
  }

  return {
    failed(ids, error) {
      note(ids, error)
      schedule(pause)
    },
    wake,
    worked() {
      if (attempts.size > 0) wake()
    },
    drain,
    attemptsOf: (id) => attempts.get(id) ?? { attempts: 0 },
    async stop() {
      clearTimeout(timer)
      const stopping = new Promise<void>((resolve) => {
        ending.signal.addEventListener('abort', () => setImmediate(resolve), { once: true })
      })
      ending.abort()
      // An embedder that does not listen must not keep the engine open: what it answers later is dropped.
      await Promise.race([running, stopping])
    },
  }
}
