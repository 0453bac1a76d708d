import type { Analysis, PutRecord, StoreChange, StoredVector, Transaction } from '../contract/index.ts'

/** Index terms of a text in the plainest way: its words in lower case. Not what mneme searches by. */
export function plainAnalysis(text: string): Analysis {
  const frequencies = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{Letter}\p{Number}]+/gu)) {
    frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  }
  const terms = [...frequencies].sort(([a], [b]) => (a < b ? -1 : 1))
  return { analyser: 'plain', terms, tokens: [], shape: 0 }
}

/** A unit vector of the given direction, in the space `test` unless another is named. */
export function unitVector(direction: readonly number[], space = 'test'): StoredVector {
  const length = Math.hypot(...direction)
  return { space, values: Float32Array.from(direction, (value) => (length === 0 ? 0 : value / length)) }
}

/** A record for a store, live and semantic, with everything the given fields leave out. */
export function draft(fields: Partial<PutRecord> & Pick<PutRecord, 'id'>): PutRecord {
  return {
    kind: 'semantic',
    content: 'A memory.',
    scope: { userId: 'ann' },
    tags: [],
    metadata: {},
    importance: 0.5,
    confidence: 1,
    reliability: 1,
    source: { type: 'user' },
    trust: 'trusted',
    accessCount: 0,
    pinned: false,
    status: 'live',
    ...fields,
  }
}

type Put = Extract<StoreChange, { readonly type: 'put' }>

/** The change that puts such a record. @param beside op (`add`), hash (null), analysis (plain, of the content), vector (null) */
export function put(
  fields: Partial<PutRecord> & Pick<PutRecord, 'id'>,
  beside: Partial<Omit<Put, 'type' | 'record'>> = {},
): Put {
  const record = draft(fields)
  return {
    type: 'put',
    op: 'add',
    record,
    hash: null,
    analysis: plainAnalysis(record.content),
    vector: null,
    ...beside,
  }
}

/** A transaction without preconditions, of verb `test`. */
export function transaction(fields: Pick<Transaction, 'id' | 'at' | 'changes'> & Partial<Transaction>): Transaction {
  return { verb: 'test', requires: [], ...fields }
}
