import type { Derivation, Embedder, MemoryStore, StoredRecord } from '../contract/index.ts'
import { MnemeError } from '../errors/index.ts'
import { allScopes } from '../model/index.ts'
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
  /** The embedder just worked, or the engine just opened: look for work soon. */
  wake(): void
  /** Embeds what waits. Resolves with how many got their vector. @throws what the embedder throws */
  drain(signal?: AbortSignal): Promise<number>
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
  let timer: NodeJS.Timeout | undefined
  let pause = firstRetryMs
  let stopped = false
  let running: Promise<number> | undefined
  const ending = new AbortController()

  function note(ids: readonly string[], error: unknown): void {
    const lastError = MnemeError.is(error) ? error.code : 'EMBEDDER_UNAVAILABLE'
    for (const id of ids) attempts.set(id, { attempts: (attempts.get(id)?.attempts ?? 0) + 1, lastError })
  }

  function schedule(after: number): void {
    if (stopped || !embedder || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      drain().then(
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

  async function next(position: { value: number; id: string } | undefined): Promise<readonly StoredRecord[]> {
    const page = await store.list(allScopes(), {
      withoutVector: (embedder as Embedder).id,
      statuses: 'any',
      now: clock(),
      order: 'oldest',
      limit: batch,
      after: position,
    })
    return page.items
  }

  async function run(signal?: AbortSignal): Promise<number> {
    if (!embedder) return 0
    let done = 0
    let position: { value: number; id: string } | undefined
    for (let items = await next(position); items.length > 0 && !stopped; items = await next(position)) {
      const ids = items.map(({ record }) => record.id)
      try {
        const made = await embedTexts(
          embedder,
          items.map(({ record }) => textToEmbed(record)),
          { purpose: 'document', signal },
        )
        const vectors: Derivation[] = items.map(({ record }, i) => ({
          id: record.id,
          version: record.version,
          vector: made[i],
        }))
        signal?.throwIfAborted()
        await store.derive(vectors, [])
        for (const id of ids) attempts.delete(id)
        done += items.length
      } catch (error) {
        note(ids, error)
        throw error
      }
      // By position: a record that changed meanwhile stays pending and must not be met again in this run.
      const last = items.at(-1) as StoredRecord
      position = { value: Date.parse(last.record.createdAt), id: last.record.id }
    }
    return done
  }

  function drain(signal?: AbortSignal): Promise<number> {
    const end = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
    running ??= run(end).finally(() => {
      running = undefined
    })
    return running
  }

  return {
    failed(ids, error) {
      note(ids, error)
      schedule(pause)
    },
    wake: () => schedule(0),
    drain,
    attemptsOf: (id) => attempts.get(id) ?? { attempts: 0 },
    async stop() {
      stopped = true
      clearTimeout(timer)
      const stopping = new Promise<void>((resolve) => {
        ending.signal.addEventListener('abort', () => setImmediate(resolve), { once: true })
      })
      ending.abort()
      // An embedder that does not listen must not keep the engine open: what it answers later is dropped.
      await Promise.race([running?.catch(() => undefined), stopping])
    },
  }
}
