import {
  comparePositions,
  type HotHit,
  type HotHits,
  type HotQuery,
  orderValue,
  type StoredRecord,
} from '../../contract/index.ts'
import {
  type MemoryRecord,
  matchesFilter,
  matchesScope,
  ownerKey,
  type Scope,
  type ScopeFilter,
  within,
} from '../../model/index.ts'
import { cosine } from '../../vector/index.ts'
import type { Entries } from './entries.ts'
import type { Owners, Source } from './owners.ts'
import type { Pointers } from './pointers.ts'

/** Entries of one round trip. */
const batch = 100

function matches({ tags = [], filter }: Pick<HotQuery, 'tags' | 'filter'>, record: MemoryRecord): boolean {
  return tags.every((tag) => record.tags.includes(tag)) && (filter === undefined || matchesFilter(filter, record))
}

/** Highest cosine first, then what could not be compared, then the newest. */
function compareHits(a: HotHit, b: HotHit): number {
  const byCosine = (b.cosine ?? -2) - (a.cosine ?? -2)
  if (byCosine !== 0) return byCosine
  const position = ({ stored: { record } }: HotHit) => ({ value: orderValue(record, 'newest'), id: record.id })
  return comparePositions(position(a), position(b), 'newest')
}

export function makeReads(entries: Entries, owners: Owners, pointers: Pointers) {
  /** The entries of some ids that count; what is there no more leaves the index. */
  async function counting(operation: string, source: Source, ids: readonly string[]): Promise<readonly StoredRecord[]> {
    const [found, leases] = await Promise.all([
      entries.read(operation, source.owner, ids),
      pointers.peek(operation, ids),
    ])
    await owners.tidy(
      operation,
      source,
      ids.filter((_, i) => found[i] === null),
    )
    return found.flatMap((entry, i) =>
      entry !== null && entry.stored !== null && entry.lease === leases[i] ? [entry.stored] : [],
    )
  }

  async function* scan(operation: string, scope: ScopeFilter): AsyncGenerator<StoredRecord, void, undefined> {
    for (const source of await owners.sources(operation, scope)) {
      const ids = await owners.ids(operation, source)
      for (let at = 0; at < ids.length; at += batch) {
        for (const stored of await counting(operation, source, ids.slice(at, at + batch)))
          if (matchesScope(scope, stored.record.scope)) yield stored
      }
    }
  }

  async function search(scope: ScopeFilter, query: HotQuery): Promise<HotHits> {
    let best: HotHit[] = []
    let skipped = 0
    for await (const stored of scan('search', scope)) {
      if (!matches(query, stored.record)) continue
      const { vector } = stored
      const asked = query.vector
      const comparable =
        asked !== undefined && vector?.space === asked.space && vector.values.length === asked.values.length
      if (asked !== undefined && vector !== null && !comparable) skipped += 1
      best.push({ stored, cosine: comparable ? cosine(asked.values, vector.values) : null })
      // Sorted now and then: no more than a few times the limit is kept.
      if (best.length >= query.limit + 1000) best = best.sort(compareHits).slice(0, query.limit)
    }
    return { hits: best.sort(compareHits).slice(0, query.limit), skipped }
  }

  async function session(operation: string, scope: Scope): Promise<readonly MemoryRecord[]> {
    const found: MemoryRecord[] = []
    for await (const { record } of scan(operation, within(scope))) {
      if (ownerKey(record.scope) === ownerKey(scope) && record.scope.sessionId === scope.sessionId) found.push(record)
    }
    const position = (record: MemoryRecord) => ({ value: orderValue(record, 'oldest'), id: record.id })
    return found.sort((a, b) => comparePositions(position(a), position(b), 'oldest'))
  }

  return {
    scan,
    search,
    session,
    async dropSession(scope: Scope): Promise<number> {
      const ids = (await session('dropSession', scope)).map(({ id }) => id)
      await entries.evict('dropSession', ids)
      return ids.length
    },
  }
}
