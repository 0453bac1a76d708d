import assert from 'node:assert/strict'
import {
  type ListQuery,
  type LoggedTransaction,
  type MemoryStore,
  matchesQuery,
  orderValue,
  type ReadOptions,
  type StoredRecord,
} from '../contract/index.ts'
import { type ErrorCode, type ErrorDetails, MnemeError } from '../errors/index.ts'
import { allScopes, type ScopeFilter } from '../model/index.ts'

/** The work is refused with that code, and these details among others. */
export async function refuses(work: Promise<unknown>, code: ErrorCode, details: ErrorDetails = {}): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(MnemeError.is(error, code), `expected a refusal with ${code}, got ${String(error)}`)
    for (const [name, value] of Object.entries(details)) assert.deepEqual(error.details[name], value, `details.${name}`)
    return true
  })
}

/** Fields that are undefined and fields that are absent are the same here. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** Every page of a list, checked as the engine checks it. */
export async function listAll(
  store: MemoryStore,
  scope: ScopeFilter,
  query: Partial<ListQuery> = {},
  options: ReadOptions & { readonly pageSize?: number } = {},
): Promise<StoredRecord[]> {
  const { pageSize = 100, ...readOptions } = options
  const { filter: _, tags: __, ...certain } = query
  const found: StoredRecord[] = []
  let next: ListQuery = { order: 'oldest', limit: pageSize, ...query }
  for (;;) {
    const page = await store.list(scope, next, readOptions)
    assert.ok(page.items.length <= next.limit, 'a page is longer than its limit')
    for (const stored of page.items) {
      assert.ok(matchesQuery(certain, stored), 'a list may over-select on filter and tags only')
      if (matchesQuery(query, stored)) found.push(stored)
    }
    const last = page.items.at(-1)
    if (!page.more) return found
    assert.ok(last, 'a page says there is more but has nothing to go on from')
    next = { ...next, after: { value: orderValue(last.record, next.order), id: last.record.id } }
  }
}

export async function listIds(...input: Parameters<typeof listAll>): Promise<string[]> {
  return (await listAll(...input)).map(({ record }) => record.id)
}

/** The whole log from a cursor on, page by page. */
export async function readLog(
  store: MemoryStore,
  after: string | null = null,
  limit = 100,
): Promise<{ readonly entries: LoggedTransaction[]; readonly cursor: string }> {
  const entries: LoggedTransaction[] = []
  let cursor = after
  for (;;) {
    const page = await store.log(cursor, { limit })
    assert.ok(page.entries.length <= limit, 'a log page is longer than its limit')
    assert.equal(page.cursor, page.entries.at(-1)?.cursor ?? cursor ?? page.cursor, 'the cursor of a log page')
    cursor = page.cursor
    if (page.entries.length === 0) return { entries, cursor }
    entries.push(...page.entries)
  }
}

/** Everything the store tells about all scopes and these ids, as one text. */
export async function everything(store: MemoryStore, ids: readonly string[]): Promise<string> {
  const all = allScopes()
  const revisions = []
  for (const id of ids) revisions.push(await store.revisions(all, id))
  // Not the size: pages and caches move it.
  const { counts, spaces } = await store.stats(all, { now: 0 })
  return JSON.stringify({
    log: (await readLog(store)).entries,
    list: await listAll(store, all, { statuses: 'any' }),
    reserved: await store.get(all, ids),
    revisions,
    links: await store.links(all, ids),
    journal: await store.journal(all, { limit: 10_000 }),
    stats: { counts, spaces },
  })
}

/** What a failed commit must not have changed. */
export async function snapshot(store: MemoryStore, ids: readonly string[]): Promise<string> {
  const { cursor, derived } = await store.log(null, { limit: 10_000 })
  return JSON.stringify([cursor, derived, await everything(store, ids)])
}

/** Starts all at once, as near as one process can, and tells who won. */
export async function race<T>(
  contenders: readonly (() => Promise<T>)[],
): Promise<{ readonly won: T[]; readonly lost: unknown[] }> {
  let open: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const work = contenders.map(async (contender) => {
    await gate
    return contender()
  })
  open()
  const settled = await Promise.allSettled(work)
  return {
    won: settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    lost: settled.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
  }
}
