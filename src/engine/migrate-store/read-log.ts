import type { Cursor, LoggedTransaction, MemoryStore, OperationOptions } from '../../contract/index.ts'

const pageSize = 500

/** The log from a position on, page by page, to the end that it has when it is reached. */
export async function* logPages(
  store: MemoryStore,
  after: Cursor | null,
  call: OperationOptions,
): AsyncGenerator<readonly LoggedTransaction[]> {
  for (let cursor = after; ; ) {
    call.signal?.throwIfAborted()
    const page = await store.log(cursor, { ...call, limit: pageSize })
    if (page.entries.length === 0) return
    yield page.entries
    cursor = page.cursor
  }
}

export async function* logEntries(
  store: MemoryStore,
  after: Cursor | null,
  call: OperationOptions,
): AsyncGenerator<LoggedTransaction> {
  for await (const entries of logPages(store, after, call)) yield* entries
}
