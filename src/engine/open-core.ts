import type { Embedder, MemoryStore, Reranker, TokenTable } from '../contract/index.ts'
import { SetupError } from '../errors/index.ts'
import { allScopes } from '../model/index.ts'
import { createIndex } from '../retrieval/index.ts'
import { type Core, createAnnouncer } from './core.ts'
import type { EngineDefaults } from './defaults.ts'
import { createPendingVectors } from './pending-vectors.ts'
import type { Clock, Logger } from './seams.ts'
import { createTouchQueue } from './touch-queue.ts'

export interface CoreParts {
  readonly store: MemoryStore
  readonly embedder: Embedder | null
  readonly table: TokenTable | null
  readonly reranker: Reranker | null
  readonly defaults: EngineDefaults
  readonly clock: Clock
  readonly ids: () => string
  readonly logger: Logger
}

/** Vectors of another embedder can't be compared with this one's: searching on would be silently wrong (EMB-20). */
async function refuseOtherSpace(store: MemoryStore, embedder: Embedder | null, now: number): Promise<void> {
  if (!embedder) return
  const { spaces } = await store.stats(allScopes(), { now })
  const other = spaces.find(({ space, count }) => space !== embedder.id && count > 0)
  if (!other) return
  throw new SetupError({
    code: 'EMBEDDER_CHANGED',
    message:
      `This memory holds ${other.count} vectors of ${other.space} (${other.dimensions} dimensions), but was opened with ` +
      `${embedder.id} (${embedder.dimensions}). Either open it with the former embedder, or open it with embedder: false, ` +
      'export it, and import the file into a new memory that has the new embedder.',
    details: { stored: other.space, given: embedder.id },
  })
}

/** Opens the store and what the verbs need around it. */
export async function openCore(parts: CoreParts): Promise<Core> {
  const { store, embedder, clock, logger } = parts
  await store.open()
  try {
    await refuseOtherSpace(store, embedder, clock())
  } catch (error) {
    await store.close()
    throw error
  }
  const { text, vectors, turns } = store
  const native = text !== undefined && vectors !== undefined && turns !== undefined
  const index = native ? null : createIndex(store, { space: embedder?.id ?? null })
  const own = index as NonNullable<typeof index>
  const pending = createPendingVectors(store, embedder, clock, logger)
  const core: Core = {
    ...parts,
    index,
    facets: {
      text: text ?? own.text,
      vectors: vectors ?? own.vectors,
      turns: turns ?? own.turns,
      ran: { text: text ? store.name : 'in-process index', vectors: vectors ? store.name : 'in-process index' },
    },
    pending,
    touches: createTouchQueue(store, logger),
    committed: createAnnouncer(),
  }
  pending.wake()
  return core
}

/** Writes what is on its way and closes the store. */
export async function closeCore(core: Core): Promise<void> {
  await core.pending.stop()
  await core.touches.flush()
  core.committed.announce()
  await core.store.close()
}
