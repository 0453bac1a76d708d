import type { ListQuery, MemoryStore, ReadOptions, StoredRecord } from '../../contract/index.ts'
import type { ScopeFilter } from '../../model/index.ts'

/** Every record that a query means, of any status, oldest first, without analyses and vectors; read `limit` at a time. */
export async function* everyRecord(
  store: MemoryStore,
  scope: ScopeFilter,
  query: Pick<ListQuery, 'kinds' | 'key' | 'limit'>,
  options: ReadOptions | undefined,
): AsyncGenerator<StoredRecord> {
  let after: ListQuery['after']
  for (;;) {
    const page = await store.list(
      scope,
      { ...query, statuses: 'any', order: 'oldest', after },
      { ...options, bare: true },
    )
    yield* page.items
    const last = page.items.at(-1)?.record
    if (!page.more || last === undefined) return
    after = { value: Date.parse(last.createdAt), id: last.id }
  }
}
