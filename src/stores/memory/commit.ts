import {
  type CommitResult,
  checkChanges,
  checkPlaceInJournal,
  erasedId,
  idempotencyConflict,
  type JournalEntry,
  type JournalLine,
  journalDigest,
  type Precondition,
  presenceConflict,
  type StoreChange,
  stampRecord,
  type Transaction,
  transactionConflict,
  versionConflict,
} from '../../contract/index.ts'
import { type MemoryRecord, ownerKey, type Scope, scopeKey } from '../../model/index.ts'
import { holderOf } from './read.ts'
import {
  addVersion,
  copyJson,
  copyVector,
  type Head,
  type KeptTransaction,
  lastVersion,
  linkKey,
  type State,
  type UsedKey,
} from './state.ts'

type Change<T extends StoreChange['type']> = Extract<StoreChange, { readonly type: T }>

function usedKeyId(scope: Scope, key: string): string {
  return JSON.stringify([scopeKey(scope), key])
}

/** The unexpired use of an idempotency key. */
export function findUsedKey(state: State, scope: Scope, key: string, now: number): UsedKey | undefined {
  const used = state.usedKeys.get(usedKeyId(scope, key))
  return used !== undefined && now < used.expiresAt ? used : undefined
}

function checkPrecondition(state: State, required: Precondition): void {
  if (required.type === 'version') {
    const current = state.heads.get(required.id)?.current
    if ((current?.record.version ?? null) !== required.is) throw versionConflict(required.id)
    return
  }
  const { type, scope, kind } = required
  const value = type === 'noKey' ? required.key : required.hash
  const holder = holderOf(state, type, scope, kind, value)
  if (holder) throw presenceConflict(type, holder.record.id)
}

function put(state: State, transaction: KeptTransaction, change: Change<'put'>): MemoryRecord {
  const { id, kind, scope } = change.record
  const existing = state.heads.get(id)
  const erased = state.erased.get(erasedId(state.salt, id))
  const record = stampRecord(change.record, {
    lastVersion: existing ? lastVersion(existing).version : (erased?.version ?? 0),
    createdAt: existing?.current?.record.createdAt ?? null,
    at: transaction.at,
  })
  const stored = { record, analysis: change.analysis, vector: change.vector }
  const head: Head = existing ?? { id, scope, kind, versions: [], current: null }
  const version = { version: record.version, transaction, op: change.op, hash: change.hash, stored }
  state.heads.set(id, head)
  addVersion(state, head, version)
  head.kind = kind
  transaction.changes.push({ type: 'put', head, version, kind })
  return record
}

/** Takes away every link of the records, out of the log too. How many there were. */
export function dropLinks(state: State, removed: Iterable<string>): number {
  const ids = new Set([...removed].filter((id) => state.linked.delete(id)))
  if (ids.size === 0) return 0
  let dropped = 0
  for (const [key, link] of state.links) {
    if (ids.has(link.from) || ids.has(link.to)) dropped += Number(state.links.delete(key))
  }
  for (const entry of state.log) {
    entry.changes = entry.changes.filter((change) => {
      if (change.type !== 'link' && change.type !== 'unlink') return true
      const { from, to } = change.link
      return !ids.has(from) && !ids.has(to)
    })
  }
  return dropped
}

function remove(state: State, transaction: KeptTransaction, change: Change<'remove'>): void {
  const head = state.heads.get(change.id)
  if (!head?.current) return
  dropLinks(state, [head.id])
  for (const version of head.versions) version.stored = null
  const { id, scope, kind } = head
  const version = lastVersion(head).version + 1
  addVersion(state, head, { version, transaction, op: change.op, hash: null, stored: null })
  transaction.changes.push({ type: 'remove', op: change.op, id, salt: null, kind, scope, version })
}

/** Closes a line into the chain. */
export function addToChain(chain: JournalEntry[], line: Omit<JournalEntry, 'seq' | 'digest'>): void {
  const previous = chain.at(-1)
  const entry = { ...line, seq: (previous?.seq ?? 0) + 1 }
  chain.push({ ...entry, digest: journalDigest(previous?.digest ?? '', entry) })
}

function writeJournal(state: State, transaction: Pick<KeptTransaction, 'id' | 'at'>, line: JournalLine): void {
  const owner = ownerKey(line.scope)
  const chain = state.chains.get(owner) ?? []
  addToChain(chain, { ...line, at: transaction.at, tx: transaction.id })
  state.chains.set(owner, chain)
}

function unlink(state: State, transaction: KeptTransaction, change: Change<'unlink'>): void {
  const scope = state.heads.get(change.from)?.scope
  const key = linkKey({ from: change.from, to: change.to, type: change.linkType })
  const link = state.links.get(key)
  if (!scope || !link) return
  state.links.delete(key)
  transaction.changes.push({ type: 'unlink', link, scope })
}

function apply(state: State, transaction: KeptTransaction, changes: readonly StoreChange[]): MemoryRecord[] {
  const records: MemoryRecord[] = []
  for (const change of changes) {
    if (change.type === 'put') records.push(put(state, transaction, change))
    else if (change.type === 'remove') remove(state, transaction, change)
    else if (change.type === 'journal') writeJournal(state, transaction, change.line)
    else if (change.type === 'unlink') unlink(state, transaction, change)
    else {
      const { scope } = state.heads.get(change.link.from) as Head
      const key = linkKey(change.link)
      const previous = state.links.get(key) ?? null
      state.links.set(key, change.link)
      state.linked.add(change.link.from).add(change.link.to)
      transaction.changes.push({ type: 'link', link: change.link, previous, scope })
    }
  }
  return records
}

/** Puts a transaction at the end of the log. */
export function append(state: State, transaction: Omit<KeptTransaction, 'position' | 'changes'>): KeptTransaction {
  const kept = { ...transaction, position: ++state.position, changes: [] }
  state.log.push(kept)
  state.transactions.set(kept.id, kept)
  return kept
}

function copyChange(change: StoreChange): StoreChange {
  if (change.type !== 'put') return copyJson(change)
  const { vector, ...rest } = change
  return { ...copyJson(rest), vector: copyVector(vector) }
}

/** Lines of a transaction that is not in the log. */
function commitGone(state: State, { id: tx, at, gone, changes }: Transaction): CommitResult {
  const lines = copyJson(changes.flatMap((change) => (change.type === 'journal' ? [change.line] : [])))
  const [first] = lines
  checkPlaceInJournal(gone, first ? (state.chains.get(ownerKey(first.scope))?.length ?? 0) : 0)
  for (const line of lines) writeJournal(state, { id: tx, at }, line)
  return { tx, at, replayed: false, records: [] }
}

/** Copies and checks first, so that what follows can't fail half-way. */
export function commit(state: State, transaction: Transaction): CommitResult {
  const { id, at: clock, verb, actor, reason, idempotency, gone } = transaction
  if (gone) return commitGone(state, transaction)
  if (idempotency) {
    const used = findUsedKey(state, idempotency.scope, idempotency.key, clock)
    if (used && used.digest !== idempotency.digest) throw idempotencyConflict(used.tx)
    if (used) return { tx: used.tx, at: used.at, replayed: true, records: [] }
  }
  if (state.transactions.has(id)) throw transactionConflict(id)
  for (const required of transaction.requires) checkPrecondition(state, required)
  const owners = checkChanges(transaction, (id) => {
    const head = state.heads.get(id)
    return head && { scope: head.scope, present: head.current !== null }
  })
  const changes = transaction.changes.map(copyChange)
  const result = copyJson(transaction.result)

  const at = Math.max(clock, ...[...owners].map((owner) => state.lastAt.get(owner) ?? clock))
  const kept = append(state, { id, at, verb, actor, reason, result })
  const records = apply(state, kept, changes)
  for (const owner of owners) state.lastAt.set(owner, at)
  if (idempotency) {
    const { scope, key, digest, expiresAt } = copyJson(idempotency)
    state.usedKeys.set(usedKeyId(scope, key), { scope, tx: id, at, digest, expiresAt })
  }
  return { tx: id, at, replayed: false, records: structuredClone(records) }
}
