import { counterFor } from '../text/index.ts'
import { analyserId } from './analysis.ts'
import type { EngineMetadata } from './api/health.ts'
import type { CoreParts } from './open-core.ts'
import { version } from './version.ts'

const dayMs = 86_400_000

/** What an engine is made of, from its parts alone: nothing is opened or asked (LIF-7). */
export function metadataOf({ store, embedder, table, model, reranker, policies }: CoreParts): EngineMetadata {
  const lifetimes = [...(policies.lifetimes?.byKind ?? [])].filter(([, ms]) => Number.isFinite(ms))
  return {
    name: 'mneme',
    version,
    store: store.name,
    storeSettings: store.settings ? { ...store.settings } : null,
    embedder: embedder ? { id: embedder.id, dimensions: embedder.dimensions } : null,
    analyser: analyserId(table),
    tokenCounter: counterFor(undefined).name,
    model: model?.id ?? null,
    reranker: reranker?.id ?? null,
    ttlDays: Object.fromEntries(lifetimes.map(([kind, ms]) => [kind, ms / dayMs])),
  }
}
