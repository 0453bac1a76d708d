import type { ListQuery, Page, ReadOptions, StoredRecord } from '../contract/index.ts'
import { matchesQuery, orderValue } from '../contract/index.ts'
import { type MemoryRecord, matchesScope, type ScopeFilter } from '../model/index.ts'
import type { Core } from './core.ts'

const pageSize = 500
const largestRefill = 2000

/**
 * A page that is right: whatever the store over-selects is checked with the one evaluator, and with `accepts` for what no
 * query can say, and the page refilled up to its limit (STO-FLT-1).
 */
export async function listPage(
  core: Core,
  scope: ScopeFilter,
  query: ListQuery,
  options: ReadOptions,
  accepts: (record: MemoryRecord) => boolean = () => true,
): Promise<Page<StoredRecord>> {
  const items: StoredRecord[] = []
  let { after, limit } = query
  for (;;) {
    const page = await core.store.list(scope, { ...query, after, limit }, options)
    for (const item of page.items) {
      const { record } = item
      if (matchesScope(scope, record.scope) && matchesQuery(query, item) && accepts(record)) items.push(item)
    }
    const last = page.items.at(-1)
    if (items.length >= query.limit || !page.more || !last) {
      return { items: items.slice(0, query.limit), more: items.length > query.limit || page.more }
    }
    after = { value: orderValue(last.record, query.order), id: last.record.id }
    // Rare matches: fewer, larger pages to the end, as each is selected anew.
    limit = Math.max(limit, Math.min(limit * 2, largestRefill), pageSize)
  }
}

export interface ListAllQuery extends Partial<Omit<ListQuery, 'limit' | 'after' | 'order'>> {
  readonly signal?: AbortSignal | undefined
}

/** Every record that matches, oldest first, some hundred at a time. */
export async function* listPages(
  core: Core,
  scope: ScopeFilter,
  query: ListAllQuery,
  options: ReadOptions = {},
): AsyncGenerator<readonly StoredRecord[]> {
  const { signal, ...rest } = query
  let after: ListQuery['after']
  for (;;) {
    signal?.throwIfAborted()
    const { items, more } = await listPage(
      core,
      scope,
      { ...rest, order: 'oldest', limit: pageSize, after },
      { signal, ...options },
    )
    yield items
    const last = items.at(-1)
    if (!more || !last) return
    after = { value: orderValue(last.record, 'oldest'), id: last.record.id }
  }
}

/** Every record that matches, oldest first. */
export async function listAll(...call: Parameters<typeof listPages>): Promise<StoredRecord[]> {
  const found: StoredRecord[] = []
  for await (const items of listPages(...call)) for (const item of items) found.push(item)
  return found
}
