import {
  checkChanges,
  checkPlaceInJournal,
  erasedId,
  idempotencyConflict,
  type JournalEntry,
  type JournalLine,
  journalDigest,
  presenceConflict,
  type StoreChange,
  type StoredRecord,
  stampRecord,
  type Transaction,
  transactionConflict,
  versionConflict,
} from '../../contract/index.ts'
import { type Link, type MemoryRecord, ownerKey, type Scope } from '../../model/index.ts'
import { claimOf, type Head, type Loaded, linkName, nobody } from './load.ts'
import type { Session } from './session.ts'

type Change<T extends StoreChange['type']> = Extract<StoreChange, { readonly type: T }>

/** A version to be written; `stored` is null in tombstones and where a later change of the transaction emptied it. */
export interface Version {
  readonly n: number
  readonly type: 'put' | 'remove'
  readonly id: string
  readonly version: number
  readonly op: string
  readonly kind: string
  readonly hash: string | null
  stored: StoredRecord | null
}

/** A link that was set or taken away, for the log. */
export interface LinkChange {
  readonly n: number
  readonly type: 'link' | 'unlink'
  readonly link: Link
  readonly previous: Link | null
  readonly scope: Scope
}

/** What a transaction comes to. */
export interface Plan {
  readonly at: number
  readonly tick: number
  /** Of whom it is. */
  readonly owners: ReadonlySet<string>
  readonly records: readonly MemoryRecord[]
  readonly versions: readonly Version[]
  /** How every id that changed stands in the end. */
  readonly heads: ReadonlyMap<string, Head>
  /** Ids that had a record before, and lost it at some point. */
  readonly removed: ReadonlySet<string>
  readonly linkChanges: readonly LinkChange[]
  /** How every link that changed stands in the end, by name. */
  readonly links: ReadonlyMap<string, { readonly link: Link; readonly present: boolean; readonly existed: boolean }>
  readonly lines: readonly JournalEntry[]
}

/** The transaction was done before. */
export interface Replay {
  readonly replayed: { readonly tx: string; readonly at: number }
}

function checkPreconditions(session: Session, { requires }: Transaction, { heads, holders }: Loaded): void {
  for (const required of requires) {
    if (required.type === 'version') {
      const head = heads.get(required.id)
      if ((head?.present ? head.version : null) !== required.is) throw versionConflict(required.id)
      continue
    }
    const holder = holders.get(claimOf(session, required))
    if (holder !== undefined) throw presenceConflict(required.type, holder)
  }
}

/** Works out what is to be written, on what was read under the locks. @throws ConflictError, InputError INVALID_RECORD */
export function plan(session: Session, transaction: Transaction, loaded: Loaded): Plan | Replay {
  const { idempotency, at: clock, id: tx } = transaction
  const { used } = loaded
  if (idempotency && used && clock < used.expiresAt) {
    if (used.digest !== idempotency.digest) throw idempotencyConflict(used.tx)
    return { replayed: { tx: used.tx, at: used.at } }
  }
  const { gone } = transaction
  if (loaded.taken && !gone) throw transactionConflict(tx)
  checkPreconditions(session, transaction, loaded)
  const { uid } = session.partition
  const owners = new Set([...checkChanges(transaction, (id) => loaded.heads.get(id))].map(uid))
  if (gone) for (const owner of owners) checkPlaceInJournal(gone, loaded.owners.get(owner)?.seq ?? 0)
  const at = gone ? clock : Math.max(clock, ...[...owners].map((owner) => loaded.owners.get(owner)?.lastAt ?? clock))
  const tick = Math.max(loaded.clock, ...[...loaded.owners.values()].map((owner) => owner.tick + 1))
  if (owners.size === 0) owners.add(uid(ownerKey(nobody)))

  const records: MemoryRecord[] = []
  const versions: Version[] = []
  const heads = new Map<string, Head>()
  const removed = new Set<string>()
  let linkChanges: LinkChange[] = []
  const links = new Map<string, { link: Link; present: boolean; existed: boolean }>()
  const lines: JournalEntry[] = []
  const chains = new Map<string, { seq: number; digest: string }>()
  let n = 0
  const headOf = (id: string) => heads.get(id) ?? loaded.heads.get(id)
  const linkOf = (name: string) => {
    const known = links.get(name)
    return known ? (known.present ? known.link : null) : (loaded.links.get(name) ?? null)
  }

  function put({ record: given, op, hash, analysis, vector }: Change<'put'>): void {
    const { id, kind, scope } = given
    const head = headOf(id)
    const erased = loaded.erased.get(erasedId(session.salt, id)) ?? 0
    const createdAt = head?.present ? head.born : null
    const record = stampRecord(given, { lastVersion: head?.version ?? erased, createdAt, at })
    const stored = { record, analysis, vector }
    versions.push({ n: n++, type: 'put', id, version: record.version, op, kind, hash, stored })
    const owner = uid(ownerKey(scope))
    heads.set(id, { id, owner, scope, kind, version: record.version, present: true, born: record.createdAt })
    records.push(record)
  }

  function remove({ id, op }: Change<'remove'>): void {
    const head = headOf(id)
    if (!head?.present) return
    if (loaded.heads.get(id)) removed.add(id)
    for (const version of versions) if (version.id === id) version.stored = null
    for (const { link, existed } of [...links.values()]) {
      if (link.from === id || link.to === id)
        links.set(linkName(link.from, link.to, link.type), { link, present: false, existed })
    }
    for (const [name, link] of loaded.links)
      if ((link.from === id || link.to === id) && !links.has(name))
        links.set(name, { link, present: false, existed: true })
    linkChanges = linkChanges.filter(({ link }) => link.from !== id && link.to !== id)
    const version = head.version + 1
    versions.push({ n: n++, type: 'remove', id, version, op, kind: head.kind, hash: null, stored: null })
    heads.set(id, { ...head, version, present: false, born: null })
  }

  function setLink({ link }: Change<'link'>): void {
    const name = linkName(link.from, link.to, link.type)
    const previous = linkOf(name)
    links.set(name, { link, present: true, existed: loaded.links.has(name) })
    linkChanges.push({ n: n++, type: 'link', link, previous, scope: (headOf(link.from) as Head).scope })
  }

  function unlink({ from, to, linkType }: Change<'unlink'>): void {
    const name = linkName(from, to, linkType)
    const link = linkOf(name)
    const head = headOf(from)
    if (!link || !head) return
    links.set(name, { link, present: false, existed: loaded.links.has(name) })
    linkChanges.push({ n: n++, type: 'unlink', link, previous: null, scope: head.scope })
  }

  function write(line: JournalLine): void {
    const owner = uid(ownerKey(line.scope))
    const last = chains.get(owner) ?? (loaded.owners.get(owner) as { seq: number; digest: string })
    const entry = { ...line, at, tx, seq: last.seq + 1 }
    const digest = journalDigest(last.digest, entry)
    chains.set(owner, { seq: entry.seq, digest })
    lines.push({ ...entry, digest })
  }

  for (const change of transaction.changes) {
    if (change.type === 'put') put(change)
    else if (change.type === 'remove') remove(change)
    else if (change.type === 'link') setLink(change)
    else if (change.type === 'unlink') unlink(change)
    else write(change.line)
  }
  return { at, tick, owners, records, versions, heads, removed, linkChanges, links, lines }
}
