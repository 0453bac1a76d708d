import type { MemoryStore, OperationOptions, StoredRecord, StoreProblem } from '../../contract/index.ts'
import { allScopes } from '../../model/index.ts'
import type { IndexState } from './index-state.ts'
import { indexedRecord } from './indexed-record.ts'
import { unitOf } from './vector-spaces.ts'

const PAGE = 500

/** Ids of the records that the index and the store don't agree on. */
export async function suspects(
  state: IndexState,
  space: string | null,
  store: Pick<MemoryStore, 'get' | 'list'>,
  options: OperationOptions | undefined,
): Promise<readonly string[]> {
  const met = new Set<string>()
  const wrong: string[] = []
  const look = (id: string, stored: StoredRecord | null): void => {
    met.add(id)
    if (problemOf(state, space, id, stored) !== null) wrong.push(id)
  }
  let after: { value: number; id: string } | undefined
  for (let more = true; more; ) {
    const page = await store.list(allScopes(), { statuses: 'any', order: 'oldest', limit: PAGE, after }, options)
    for (const stored of page.items) look(stored.record.id, stored)
    const last = page.items.at(-1)?.record
    after = last && { value: Date.parse(last.createdAt), id: last.id }
    more = page.more && last !== undefined
  }
  // Reserved kinds are not listed, and records that are gone are not either.
  const rest: string[] = []
  for (const slot of state.liveSlots()) if (!met.has(state.idOf(slot))) rest.push(state.idOf(slot))
  for (let start = 0; start < rest.length; start += PAGE) {
    const ids = rest.slice(start, start + PAGE)
    const found = await store.get(allScopes(), ids, options)
    ids.forEach((id, i) => {
      look(id, found[i] ?? null)
    })
  }
  return wrong
}

/** What the index has wrong about a record; null when nothing is. */
export function problemOf(
  state: IndexState,
  space: string | null,
  id: string,
  stored: StoredRecord | null,
): StoreProblem | null {
  const slot = state.slotOf(id)
  if (slot === undefined) {
    return stored === null ? null : { code: 'INDEX_MISSING', id, message: 'The index lacks this record.' }
  }
  if (stored === null) return { code: 'INDEX_EXTRA', id, message: 'The index holds a record that the store does not.' }
  const held = state.read(slot)
  if (held.version !== stored.record.version) {
    return { code: 'INDEX_STALE', id, message: 'The index holds another version of this record than the store.' }
  }
  const { vector, ...expected } = indexedRecord(stored, state.lifetimes)
  const unit = vector === null || vector.space !== space ? null : unitOf(vector.values)
  const rows = space === null ? undefined : state.vectors.of(space)
  const sameVector = unit === null ? !state.vectors.has(slot) : rows?.holds(slot, unit) === true
  // Keys stand in one order in both; infinite expiry would be null either way.
  const same = JSON.stringify({ ...held, scope: 0 }) === JSON.stringify({ ...expected, scope: 0, vector: null })
  if (!sameVector || !same) {
    return { code: 'INDEX_DIFFERS', id, message: 'The index holds other search data of this record than the store.' }
  }
  return null
}
