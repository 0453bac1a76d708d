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
import type { Candidate } from './entry.ts'
import type { Owners, Source } from './owners.ts'
import type { Pointers } from './pointers.ts'

/** Entries of one round trip. */
const batch = 100

/** An entry that matches, with what it is ranked by. */
interface Ranked {
  readonly id: string
  readonly lease: string
  readonly createdAt: string
  readonly cosine: number | null
  readonly source: Source
}

function matches({ tags = [], filter }: HotQuery, candidate: Candidate): boolean {
  if (!tags.every((tag) => candidate.tags.includes(tag))) return false
  return filter === undefined || (candidate.record !== null && matchesFilter(filter, candidate.record))
}

/** Highest cosine first, then what could not be compared, then the newest. */
function compareRanked(a: Ranked, b: Ranked): number {
  const byCosine = (b.cosine ?? -2) - (a.cosine ?? -2)
  if (byCosine !== 0) return byCosine
  const place = ({ id, createdAt }: Ranked) => ({ value: Date.parse(createdAt), id })
  return comparePositions(place(a), place(b), 'newest')
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

  /** All entries that match, whether they count or not, best first; and those that a vector could not be compared with. */
  async function rank(scope: ScopeFilter, query: HotQuery): Promise<{ ranked: Ranked[]; incomparable: Ranked[] }> {
    const ranked: Ranked[] = []
    const incomparable: Ranked[] = []
    const { vector: asked, filter } = query
    const wanted = { records: filter !== undefined, vectors: asked !== undefined }
    for (const source of await owners.sources('search', scope)) {
      const ids = await owners.ids('search', source)
      for (let at = 0; at < ids.length; at += batch) {
        const part = ids.slice(at, at + batch)
        const found = await entries.candidates('search', source.owner, part, wanted)
        await owners.tidy(
          'search',
          source,
          part.filter((_, i) => found[i] === null),
        )
        for (const [i, candidate] of found.entries()) {
          if (candidate === null || !matchesScope(scope, candidate.scope) || !matches(query, candidate)) continue
          const { lease, createdAt, vector } = candidate
          const isComparable =
            asked !== undefined && vector?.space === asked.space && vector.values.length === asked.values.length
          const cosineOf = isComparable ? cosine(asked.values, vector.values) : null
          const one: Ranked = { id: part[i] as string, lease, createdAt, cosine: cosineOf, source }
          ranked.push(one)
          if (asked !== undefined && vector !== null && !isComparable) incomparable.push(one)
        }
      }
    }
    return { ranked: ranked.sort(compareRanked), incomparable }
  }

  async function search(scope: ScopeFilter, query: HotQuery): Promise<HotHits> {
    const { ranked, incomparable } = await rank(scope, query)
    const hits: HotHit[] = []
    // Few are read whole, and only of these it matters whether they count.
    for (let at = 0; at < ranked.length && hits.length < query.limit; ) {
      const part = ranked.slice(at, at + Math.min(batch, query.limit - hits.length))
      at += part.length
      const found = new Map<string, StoredRecord>()
      for (const source of new Set(part.map((one) => one.source))) {
        const ids = part.flatMap((one) => (one.source === source ? [one.id] : []))
        for (const stored of await counting('search', source, ids)) found.set(stored.record.id, stored)
      }
      for (const { id, cosine } of part) {
        const stored = found.get(id)
        if (stored !== undefined) hits.push({ stored, cosine })
      }
    }
    const leases = await pointers.peek(
      'search',
      incomparable.map(({ id }) => id),
    )
    return { hits, skipped: incomparable.filter(({ lease }, i) => lease === leases[i]).length }
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
