import type { StoredRecord, StoredVector } from '../../contract/index.ts'
import {
  expiryOf,
  type Kind,
  type Lifetimes,
  type MemoryRecord,
  momentOf,
  type Scope,
  type Status,
} from '../../model/index.ts'
import { passingKey } from './texts.ts'

export type ActorRole = 'user' | 'assistant' | 'other'

export interface Actor {
  readonly name: string
  readonly role: ActorRole
}

export function actorKey({ name, role }: Actor): string {
  return `${role}:${name}`
}

/** What the index keeps of a record. */
export interface IndexedRecord {
  readonly id: string
  readonly scope: Scope
  readonly kind: Kind
  readonly status: Status
  readonly actor: Actor | null
  /** Epoch milliseconds, infinite when it does not expire. */
  readonly expiresAt: number
  /** Event time, else creation; epoch milliseconds. */
  readonly moment: number
  /** Creation, in milliseconds after the moment. */
  readonly createdAfter: number
  readonly importance: number
  readonly reliability: number
  readonly version: number
  readonly terms: readonly string[]
  readonly frequencies: readonly number[]
  readonly tokens: readonly number[]
  readonly shape: number
  /** @see keyHashOf */
  readonly keyHash: number
  readonly vector: StoredVector | null
}

/** What the index knows of a key: records of other keys may have the same. 0 stands for none. */
export function keyHashOf(key: string): number {
  return passingKey(key).hash || 1
}

export function indexedRecord({ record, analysis, vector }: StoredRecord, lifetimes?: Lifetimes): IndexedRecord {
  const moment = momentOf(record)
  return {
    id: record.id,
    scope: record.scope,
    kind: record.kind,
    status: record.status,
    actor: actorOf(record.source),
    expiresAt: expiryOf(record, lifetimes),
    moment,
    createdAfter: Date.parse(record.createdAt) - moment,
    importance: record.importance,
    reliability: record.reliability,
    version: record.version,
    terms: analysis.terms.map(([term]) => term),
    frequencies: analysis.terms.map(([, frequency]) => frequency),
    tokens: analysis.tokens,
    shape: analysis.shape,
    // The key of a value is an address and answers no search.
    keyHash: record.key === undefined || record.kind === 'kv' ? 0 : keyHashOf(record.key),
    vector,
  }
}

function actorOf({ type, actor }: MemoryRecord['source']): Actor | null {
  const role = type === 'user' || type === 'assistant' ? type : 'other'
  if (actor !== undefined) return { name: actor, role }
  return role === 'other' ? null : { name: role, role }
}
