import {
  erasedId,
  type JournalLine,
  journalDigest,
  type StoreChange,
  stampRecord,
  type Transaction,
} from '../../../contract/index.ts'
import { formatInstant, type MemoryRecord, ownerKey, type RevisionOp, scopeKey } from '../../../model/index.ts'
import { encodeName } from '../names.ts'
import type { Checked } from './check.ts'
import { type Head, type Known, linkDigest, type Owner } from './known.ts'

type Put = Extract<StoreChange, { readonly type: 'put' }>

/** Where a record belongs, as numbers. */
export interface Home {
  readonly owner: number
  readonly scope: number
}

export interface DraftRevision extends Home {
  readonly id: string
  readonly version: number
  /** Among the changes of the transaction. */
  readonly number: number
  readonly op: RevisionOp
  readonly kind: string
  /** False: a tombstone. */
  readonly isPut: boolean
  /** Null: a tombstone, or emptied by a later change of the same transaction. */
  content: { readonly record: MemoryRecord; readonly put: Put } | null
}

/** What becomes of an id. */
export interface DraftRecord extends Home {
  readonly id: string
  /** Null for a new id. */
  readonly num: number | null
  readonly version: number
  readonly createdAt: number | null
  readonly kind: string
  /** Null: removed. */
  readonly content: DraftRevision['content']
}

export interface DraftLink extends Home {
  readonly digest: Buffer
  readonly from: string
  readonly to: string
  readonly type: string
  readonly toScope: number
  /** Null: cut. */
  readonly body: string | null
}

export interface DraftLinkChange extends DraftLink {
  readonly number: number
  readonly previous: string | null
}

export interface DraftLine extends Home {
  readonly seq: number
  readonly digest: string
  readonly line: JournalLine
}

/** All that a transaction writes, worked out. */
export interface Draft {
  readonly revisions: readonly DraftRevision[]
  /** Of every id that was put or removed. */
  readonly records: readonly DraftRecord[]
  /** Ids whose revisions of before are emptied, and whose links go. */
  readonly removed: readonly (Home & { readonly id: string })[]
  readonly links: readonly DraftLink[]
  readonly linkLog: readonly DraftLinkChange[]
  readonly journal: readonly DraftLine[]
  /** Where the chains of the owners end afterwards, by number. */
  readonly chains: ReadonlyMap<number, { readonly seq: number; readonly digest: string }>
  /** As put, in order. */
  readonly answers: readonly MemoryRecord[]
}

/** Numbers of owners and scopes, all of them made. */
export interface Homes {
  owner(key: string): number
  scope(key: string): number
}

type Place = DraftRecord

export function draftOf(
  { id: tx, changes }: Transaction,
  { at }: Checked,
  known: Known,
  homes: Homes,
  salt: string,
): Draft {
  const places = new Map<string, Place>()
  const touched = new Set<string>()
  const removed = new Map<string, Home & { readonly id: string }>()
  const revisions: DraftRevision[] = []
  const links = new Map<string, DraftLink>()
  let linkLog: DraftLinkChange[] = []
  const journal: DraftLine[] = []
  const chains = new Map<number, { readonly seq: number; readonly digest: string }>()
  const answers: MemoryRecord[] = []

  function placeOf(id: string): Place | null {
    const place = places.get(id)
    if (place !== undefined) return place
    const head: Head | undefined = known.heads.get(id)
    if (head === undefined) return null
    return { id, ...head, content: null }
  }

  function put(change: Put, number: number): void {
    const { id, kind, scope } = change.record
    const before = placeOf(id)
    const home = before ?? { owner: homes.owner(ownerKey(scope)), scope: homes.scope(scopeKey(scope)) }
    const createdAt = before?.createdAt ?? null
    const record = stampRecord(change.record, {
      lastVersion: before?.version ?? known.erased.get(encodeName(erasedId(salt, id))) ?? 0,
      createdAt: createdAt === null ? null : formatInstant(createdAt),
      at,
    })
    const content = { record, put: change }
    const { owner, scope: scopeNumber } = home
    const { version } = record
    revisions.push({ id, owner, scope: scopeNumber, version, number, op: change.op, kind, isPut: true, content })
    const num = before?.num ?? null
    places.set(id, {
      id,
      owner,
      scope: scopeNumber,
      num,
      version,
      createdAt: Date.parse(record.createdAt),
      kind,
      content,
    })
    touched.add(id)
    answers.push(record)
  }

  function remove({ id, op }: Extract<StoreChange, { readonly type: 'remove' }>, number: number): void {
    const before = placeOf(id)
    if (before === null || before.createdAt === null) return
    if (touched.has(id)) for (const revision of revisions) if (revision.id === id) revision.content = null
    for (const [key, link] of links) if (link.from === id || link.to === id) links.set(key, { ...link, body: null })
    linkLog = linkLog.filter(({ from, to }) => from !== id && to !== id)
    const { owner, scope, num, kind } = before
    const version = before.version + 1
    revisions.push({ id, owner, scope, version, number, op, kind, isPut: false, content: null })
    places.set(id, { id, owner, scope, num, version, createdAt: null, kind, content: null })
    touched.add(id)
    removed.set(id, { id, owner, scope })
  }

  /** Null when there is none. */
  function bodyOf(key: string, ends: { readonly from: string; readonly to: string }): string | null {
    const link = links.get(key)
    if (link !== undefined) return link.body
    // With an end that was removed on the way, it went.
    if (removed.has(ends.from) || removed.has(ends.to)) return null
    return known.links.get(key)?.body ?? null
  }

  function changeLink(ends: { from: string; to: string; type: string }, body: string | null, number: number): void {
    const [from, to] = [placeOf(ends.from), placeOf(ends.to)]
    const digest = linkDigest(ends)
    const key = digest.toString('hex')
    const previous = bodyOf(key, ends)
    if (from === null || to === null || (body === null && previous === null)) return
    const { owner, scope } = from
    const link = { ...ends, digest, owner, scope, toScope: to.scope, body }
    links.set(key, link)
    linkLog.push({ ...link, number, previous })
  }

  function writeLine(line: JournalLine): void {
    const key = ownerKey(line.scope)
    const home = { owner: homes.owner(key), scope: homes.scope(scopeKey(line.scope)) }
    const before: Owner | undefined = known.owners.get(key)
    const end = chains.get(home.owner) ?? { seq: before?.journalSeq ?? 0, digest: before?.journalDigest ?? '' }
    const seq = end.seq + 1
    const digest = journalDigest(end.digest, { at, tx, seq, ...line })
    journal.push({ ...home, seq, digest, line })
    chains.set(home.owner, { seq, digest })
  }

  changes.forEach((change, number) => {
    if (change.type === 'put') put(change, number)
    else if (change.type === 'remove') remove(change, number)
    else if (change.type === 'journal') writeLine(change.line)
    else if (change.type === 'unlink') {
      changeLink({ from: change.from, to: change.to, type: change.linkType }, null, number)
    } else {
      const { from, to, type, weight, metadata } = change.link
      changeLink({ from, to, type }, JSON.stringify({ weight, metadata }), number)
    }
  })
  return {
    revisions,
    records: [...touched].map((id) => places.get(id) as Place),
    removed: [...removed.values()],
    links: [...links.values()],
    linkLog,
    journal,
    chains,
    answers,
  }
}
