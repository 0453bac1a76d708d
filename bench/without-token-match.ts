// What openMemory makes, but without the table that word pieces are compared by: the only way to time a search without
// token match, which is no option of the public interface. Bundled by the bench.
import { staticEn256 } from '../src/embedders/index.ts'
import { createEngine } from '../src/engine/create-engine.ts'
import { defaultsSchema } from '../src/engine/defaults.ts'
import { type MemoryEngine, uuidv7 } from '../src/engine/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'

interface Options {
  readonly path: string
  readonly clock: () => number
}

export async function openMemory({ path, clock }: Options): Promise<MemoryEngine> {
  const parts = { embedder: staticEn256(), table: null, reranker: null, clock, ids: () => uuidv7(clock()), logger: {} }
  return createEngine({ ...parts, store: sqlite({ path }), defaults: defaultsSchema.parse({}) }, undefined)
}
