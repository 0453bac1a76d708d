import { randomUUID } from 'node:crypto'
import {
  type EraseCounts,
  type EraseStamp,
  erasedId,
  type JournalEntry,
  namesAny,
  type StoredRecord,
  transactionConflict,
  withoutErased,
  withoutReferences,
} from '../../contract/index.ts'
import { formatInstant, matchesScope, ownerKey, type ScopeFilter } from '../../model/index.ts'
import { addToChain, append, dropLinks } from './commit.ts'
import { dropClaims, type Head, lastVersion, type State } from './state.ts'

function scrubReferences(state: State, hashes: ReadonlyMap<string, string>): void {
  const scrub = (stored: StoredRecord | null) =>
    stored && { ...stored, record: withoutReferences(stored.record, hashes) }
  for (const head of state.heads.values()) {
    head.current = scrub(head.current)
    for (const version of head.versions) version.stored = scrub(version.stored)
  }
}

/** Cuts the journal; returns how many lines changed and adds their transactions. */
function scrubJournal(
  state: State,
  ids: ReadonlySet<string>,
  emptied: ReadonlySet<string>,
  touched: Set<string>,
): number {
  let changed = 0
  for (const [owner, lines] of state.chains) {
    const chain: JournalEntry[] = []
    for (const line of lines) {
      const left = emptied.has(owner) ? null : withoutErased(line, ids)
      if (left !== line) {
        changed++
        touched.add(line.tx)
      }
      if (left === null) continue
      const { seq: _, digest: __, ...kept } = left
      addToChain(chain, kept)
    }
    if (chain.length === 0) state.chains.delete(owner)
    else state.chains.set(owner, chain)
  }
  return changed
}

/** Forgets the changes of the records, and of transactions touched by them everything that could name one. */
function scrubLog(state: State, heads: ReadonlySet<Head>, ids: ReadonlySet<string>, touched: Set<string>): void {
  state.log = state.log.filter((entry) => {
    const changes = entry.changes.filter(
      (change) =>
        !(change.type === 'put' && heads.has(change.head)) && !(change.type === 'remove' && ids.has(change.id)),
    )
    if (changes.length < entry.changes.length || namesAny(entry.result, ids)) touched.add(entry.id)
    entry.changes = changes
    if (!touched.has(entry.id)) return true
    entry.actor = undefined
    entry.reason = undefined
    entry.result = undefined
    if (changes.length === 0) state.transactions.set(entry.id, null)
    return changes.length > 0
  })
}

export function erase(state: State, scope: ScopeFilter, wanted: readonly string[], stamp: EraseStamp): EraseCounts {
  const tx = stamp.tx ?? randomUUID()
  if (state.transactions.has(tx)) throw transactionConflict(tx, 'erase')
  const heads = new Set<Head>()
  for (const id of wanted) {
    const head = state.heads.get(id)
    if (head && matchesScope(scope, head.scope)) heads.add(head)
  }
  if (heads.size === 0) return { records: 0, revisions: 0, vectors: 0, links: 0, journal: 0, idempotency: 0 }
  const ids = new Set([...heads].map(({ id }) => id))
  const hashes = new Map([...ids].map((id) => [id, erasedId(state.salt, id)]))
  const versions = [...heads].flatMap((head) => head.versions)
  const counts = {
    records: [...heads].filter((head) => head.current).length,
    revisions: versions.length,
    vectors: versions.filter((version) => version.stored?.vector).length,
    links: dropLinks(state, ids),
  }

  const emptied = new Set([...heads].map((head) => ownerKey(head.scope)))
  const last = [...emptied].map((owner) => state.lastAt.get(owner) ?? 0)
  for (const head of heads) {
    dropClaims(state, head)
    state.heads.delete(head.id)
  }
  for (const [key, keyed] of state.keyed) {
    for (const head of keyed) if (heads.has(head)) keyed.delete(head)
    if (keyed.size === 0) state.keyed.delete(key)
  }
  for (const head of state.heads.values()) emptied.delete(ownerKey(head.scope))
  scrubReferences(state, hashes)
  const touched = new Set<string>()
  const journal = scrubJournal(state, ids, emptied, touched)
  scrubLog(state, heads, ids, touched)
  let idempotency = 0
  for (const [key, used] of state.usedKeys) {
    if (touched.has(used.tx) || emptied.has(ownerKey(used.scope))) idempotency += Number(state.usedKeys.delete(key))
  }

  const at = Math.max(stamp.at ?? 0, ...last)
  const entry = append(state, { id: tx, at, verb: 'erase', actor: undefined, reason: undefined, result: undefined })
  for (const head of heads) {
    const id = hashes.get(head.id) as string
    const version = lastVersion(head).version + 1
    state.erased.set(id, { id, version, tx, at: formatInstant(at), op: 'erase', record: null })
    entry.changes.push({ type: 'remove', op: 'erase', id, salt: state.salt, kind: head.kind, scope: null, version })
    state.lastAt.set(ownerKey(head.scope), at)
  }
  for (const owner of emptied) state.lastAt.delete(owner)
  return { ...counts, journal, idempotency }
}
