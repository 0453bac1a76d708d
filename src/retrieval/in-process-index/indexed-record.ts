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
  /** Epoch milliseconds, infinite when it does not expire. */
  readonly expiresAt: number
  /** Event time, else creation; epoch milliseconds. */
  readonly moment: number
  readonly actor: Actor | null
  readonly version: number
  readonly terms: readonly string[]
  readonly frequencies: readonly number[]
  readonly tokens: readonly number[]
  readonly shape: number
  readonly vector: StoredVector | null
}

export function indexedRecord({ record, analysis, vector }: StoredRecord, lifetimes?: Lifetimes): IndexedRecord {
  return {
    id: record.id,
    scope: record.scope,
    kind: record.kind,
    status: record.status,
    expiresAt: expiryOf(record, lifetimes),
    moment: momentOf(record),
    actor: actorOf(record.source),
    version: record.version,
    terms: analysis.terms.map(([term]) => term),
    frequencies: analysis.terms.map(([, frequency]) => frequency),
    tokens: analysis.tokens,
    shape: analysis.shape,
    vector,
  }
}

function actorOf({ type, actor }: MemoryRecord['source']): Actor | null {
  const role = type === 'user' || type === 'assistant' ? type : 'other'
  if (actor !== undefined) return { name: actor, role }
  return role === 'other' ? null : { name: role, role }
}
