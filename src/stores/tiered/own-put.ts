import type { StoreChange } from '../../contract/index.ts'
import type { MemoryRecord, RevisionOp } from '../../model/index.ts'

/** A record by which this store keeps something in the cold one: of a reserved kind, and found by nobody's search. */
export function ownPut(
  op: RevisionOp,
  own: Pick<MemoryRecord, 'id' | 'kind' | 'key' | 'content' | 'data' | 'scope' | 'status'>,
): Extract<StoreChange, { readonly type: 'put' }> {
  return {
    type: 'put',
    op,
    record: {
      ...own,
      tags: [],
      metadata: {},
      importance: 0,
      confidence: 1,
      reliability: 1,
      source: { type: 'system' },
      trust: 'trusted',
      accessCount: 0,
      pinned: false,
    },
    hash: null,
    analysis: { analyser: 'none', terms: [], tokens: [], shape: 0 },
    vector: null,
  }
}
