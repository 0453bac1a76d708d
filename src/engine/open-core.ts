import type { Embedder, LanguageModel, MemoryStore, Reranker, TokenTable, VectorSpace } from '../contract/index.ts'
import { MnemeError, SetupError } from '../errors/index.ts'
import type { Policies } from '../kinds/index.ts'
import type { Prompts } from '../learning/index.ts'
import { allScopes, type Lifetimes } from '../model/index.ts'
import { createIndex } from '../retrieval/index.ts'
import { analyserId } from './analysis.ts'
import { type Core, createAnnouncer } from './core.ts'
import type { EngineDefaults } from './defaults.ts'
import { createDegradationWatch } from './degradations.ts'
import { engineClosed } from './engine-closed.ts'
import type { CheckedModelLimits } from './language-model/limits.ts'
import { createPendingVectors } from './pending-vectors.ts'
import type { Clock, Logger } from './seams.ts'
import { closeStore, openStore } from './store-users.ts'
import { openTokenKeys, type TokenKeys } from './token-keys.ts'
import { createTouchQueue } from './touch-queue.ts'

export interface CoreParts {
  readonly store: MemoryStore
  readonly embedder: Embedder | null
  readonly table: TokenTable | null
  readonly reranker: Reranker | null
  readonly model: LanguageModel | null
  readonly modelLimits: CheckedModelLimits
  readonly prompts: Prompts
  readonly defaults: EngineDefaults
  readonly policies: Policies
  readonly journalReads: 'reasoned' | 'all'
  readonly clock: Clock
  readonly ids: () => string
  readonly transactionIds: () => string
  readonly logger: Logger
}

/** Vectors of another embedder can't be compared with this one's: searching on would be silently wrong (EMB-20). */
async function refuseOtherSpace(store: MemoryStore, embedder: Embedder | null, now: number): Promise<void> {
  if (!embedder) return
  const isOwn = ({ space, dimensions }: VectorSpace) => space === embedder.id && dimensions === embedder.dimensions
  // To count is slow: only where there is, or was, another.
  if ((await store.vectorSpaces()).every(isOwn)) return
  const { spaces } = await store.stats(allScopes(), { now })
  const other = spaces.find((space) => !isOwn(space) && space.count > 0)
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

/** What makes an index of other lifetimes another one. */
function lifetimesName(lifetimes: Lifetimes | undefined): string {
  if (lifetimes === undefined) return ''
  const kinds = [...lifetimes.byKind].sort(([a], [b]) => (a < b ? -1 : 1))
  return `+${JSON.stringify([...kinds, lifetimes.others])}`
}

/** Opens the store and what the verbs need around it. `close` ends streams and background work. */
export async function openCore(parts: CoreParts): Promise<{ readonly core: Core; readonly close: () => void }> {
  const { store, embedder, clock, logger } = parts
  const { lifetimes } = parts.policies
  // Only what has layers tells of them.
  const degradations = store.health ? createDegradationWatch() : null
  let tokenKeys: TokenKeys
  try {
    await openStore(store, degradations ? { onDegraded: degradations.hear } : {})
    await refuseOtherSpace(store, embedder, clock())
    tokenKeys = await openTokenKeys(() => store.secret(), degradations !== null)
  } catch (error) {
    // Why it could not be opened says more than a failing close.
    await closeStore(store).catch(() => undefined)
    throw error
  }
  const { text, vectors, turns } = store
  const native = text !== undefined && vectors !== undefined && turns !== undefined
  const index = native
    ? null
    : createIndex(store, {
        space: embedder?.id ?? null,
        analyser: analyserId(parts.table) + lifetimesName(lifetimes),
        lifetimes,
        onSnapshotFailure: (operation, error) =>
          logger.warn?.(`the index could not ${operation} its snapshot`, {
            code: MnemeError.is(error) ? error.code : 'unknown',
          }),
      })
  const own = index as NonNullable<typeof index>
  const pending = createPendingVectors(store, embedder, clock, logger)
  const closing = new AbortController()
  const inBackground = new Set<Promise<unknown>>()
  const core: Core = {
    ...parts,
    index,
    facets: {
      text: text ?? own.text,
      vectors: vectors ?? own.vectors,
      turns: turns ?? own.turns,
      mayHaveKey: index?.mayHaveKey,
      judges: native && store.judges === true,
      ran: { text: text ? store.name : 'in-process index', vectors: vectors ? store.name : 'in-process index' },
    },
    degradations,
    pending,
    touches: createTouchQueue(store, logger),
    background(work, failure) {
      const settled = work.then(
        () => undefined,
        (error: unknown) => logger.warn?.(failure, { code: MnemeError.is(error) ? error.code : 'unknown' }),
      )
      inBackground.add(settled)
      settled.finally(() => inBackground.delete(settled)).catch(() => undefined)
    },
    settled: () => Promise.all(inBackground),
    tokenKeys,
    closing: closing.signal,
    committed: createAnnouncer(),
  }
  pending.wake()
  return { core, close: () => closing.abort(engineClosed()) }
}

/** Writes what is on its way and closes the store. */
export async function closeCore(core: Core): Promise<void> {
  try {
    await core.pending.stop()
    await core.touches.flush()
    await core.settled()
    core.committed.announce()
    await core.index?.close()
  } finally {
    await closeStore(core.store)
  }
}
