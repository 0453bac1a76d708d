import { randomBytes } from 'node:crypto'
import type { Analysis, JournalEntry, LoggedChange, StoredRecord, StoredVector } from '../../contract/index.ts'
import {
  type JsonValue,
  type Kind,
  type Link,
  type Revision,
  type RevisionOp,
  type Scope,
  scopeKey,
} from '../../model/index.ts'

/** One version of a record. `stored` is null in tombstones and where a later remove emptied it. */
export interface Version {
  readonly version: number
  readonly transaction: KeptTransaction
  readonly op: RevisionOp
  readonly hash: string | null
  stored: StoredRecord | null
}

/** All that is kept of one id. */
export interface Head {
  readonly id: string
  readonly scope: Scope
  kind: Kind
  /** Ascending; never empty. */
  readonly versions: Version[]
  /** The last version with its access counts; null after a remove. */
  current: StoredRecord | null
}

/** A change as kept: a put points at its version, so that emptying the version empties the log. */
export type KeptChange =
  | { readonly type: 'put'; readonly head: Head; readonly version: Version; readonly kind: Kind }
  | Exclude<LoggedChange, { readonly type: 'put' }>

export interface KeptTransaction {
  readonly position: number
  readonly id: string
  readonly at: number
  readonly verb: string
  actor: string | undefined
  reason: string | undefined
  result: JsonValue | undefined
  changes: KeptChange[]
}

export interface UsedKey {
  readonly scope: Scope
  readonly tx: string
  readonly at: number
  readonly digest: string
  readonly expiresAt: number
}

/** The whole store. Only commit.ts, derive.ts and erase.ts change it. */
export interface State {
  readonly salt: string
  readonly heads: Map<string, Head>
  /** Tombstones of erased records by the hash of their id. */
  readonly erased: Map<string, Revision>
  readonly links: Map<string, Link>
  /** Every id that the log has a link of. */
  readonly linked: Set<string>
  /** Which live records have a key or a digest, by `claimsOf`. */
  readonly claims: Map<string, Set<Head>>
  /** By key: every record that has it, or had it once. */
  readonly keyed: Map<string, Set<Head>>
  log: KeptTransaction[]
  /** By id; null for those that an erase took out of the log, whose ids stay used. */
  readonly transactions: Map<string, KeptTransaction | null>
  readonly usedKeys: Map<string, UsedKey>
  /** By owner key. */
  readonly chains: Map<string, JournalEntry[]>
  /** When the owner last committed, by owner key. */
  readonly lastAt: Map<string, number>
  /** Of the last transaction ever, 0 before the first. */
  position: number
  /** How many times late vectors were stored. */
  derived: number
}

export function emptyState(): State {
  return {
    salt: randomBytes(16).toString('hex'),
    heads: new Map(),
    erased: new Map(),
    links: new Map(),
    linked: new Set(),
    claims: new Map(),
    keyed: new Map(),
    log: [],
    transactions: new Map(),
    usedKeys: new Map(),
    chains: new Map(),
    lastAt: new Map(),
    position: 0,
    derived: 0,
  }
}

export function linkKey(link: { readonly from: string; readonly to: string; readonly type: string }): string {
  return JSON.stringify([link.from, link.to, link.type])
}

/** The name of a key or a digest in its exact scope and kind. */
export function claimName(type: 'noKey' | 'noContent', scope: Scope, kind: Kind, value: string): string {
  return JSON.stringify([type, scopeKey(scope), kind, value])
}

/** What a record keeps others from having: its key and its digest, while it is live. */
export function claimsOf(head: Head): string[] {
  const record = head.current?.record
  if (record?.status !== 'live') return []
  const { hash } = lastVersion(head)
  return [
    ...(record.key === undefined ? [] : [claimName('noKey', head.scope, record.kind, record.key)]),
    ...(hash === null ? [] : [claimName('noContent', head.scope, record.kind, hash)]),
  ]
}

/** Adds a version, which is the current one from now on. */
export function addVersion(state: State, head: Head, version: Version): void {
  dropClaims(state, head)
  head.versions.push(version)
  head.current = version.stored
  const key = version.stored?.record.key
  if (key !== undefined) state.keyed.set(key, (state.keyed.get(key) ?? new Set()).add(head))
  for (const claim of claimsOf(head)) {
    const heads = state.claims.get(claim) ?? new Set()
    state.claims.set(claim, heads.add(head))
  }
}

/** Before a record changes or goes. */
export function dropClaims(state: State, head: Head): void {
  for (const claim of claimsOf(head)) {
    const heads = state.claims.get(claim)
    heads?.delete(head)
    if (heads?.size === 0) state.claims.delete(claim)
  }
}

/** A deep copy by way of JSON: what no caller can reach, and what a store on disk would give back. */
export function copyJson<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T)
}

export function copyVector(vector: StoredVector | null): StoredVector | null {
  // slice and not clone: a view of a large buffer must not keep the buffer.
  return vector === null ? null : { space: vector.space, values: vector.values.slice() }
}

// By hand: most of what is copied is terms, and structuredClone takes ten times as long.
function copyAnalysis(analysis: Analysis): Analysis {
  const { analyser, terms, tokens, shape } = analysis
  return { analyser, terms: terms.map(([term, frequency]) => [term, frequency] as const), tokens: [...tokens], shape }
}

export function copyStored(stored: StoredRecord): StoredRecord {
  return {
    record: structuredClone(stored.record),
    analysis: copyAnalysis(stored.analysis),
    vector: copyVector(stored.vector),
  }
}

export function lastVersion(head: Head): Version {
  return head.versions.at(-1) as Version
}
