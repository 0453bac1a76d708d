import type { MemoryStore, OpenOptions } from '../contract/index.ts'

/** How many engines have a store object open, or tried to. */
const users = new WeakMap<MemoryStore, number>()

/** Opens a store for one more engine. Also when that fails, the engine closes it again. */
export async function openStore(store: MemoryStore, options: OpenOptions): Promise<void> {
  users.set(store, (users.get(store) ?? 0) + 1)
  await store.open(options)
}

/** Closes a store for one engine: the last one closes it, as the calls of others would fail from then on. */
export async function closeStore(store: MemoryStore): Promise<void> {
  const left = (users.get(store) ?? 1) - 1
  users.set(store, left)
  if (left === 0) await store.close()
}
