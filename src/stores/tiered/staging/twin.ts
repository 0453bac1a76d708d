import type { StoreChange, StoredRecord } from '../../../contract/index.ts'
import type { JsonValue, Kind, MemoryRecord, RevisionOp } from '../../../model/index.ts'
import { ownPut } from '../own-put.ts'

/**
 * A staged record is kept by the cold store as another one, its twin: of a reserved kind, so that nothing counts or finds it, and with all
 * else as it will be. When the record is made, the twin becomes a mark; its first version stays as the record's first one.
 */
export const stagedKind = '_staged'
export const promotedKind = '_promoted'

const prefix = 'mneme:staged:'

type Put = Extract<StoreChange, { readonly type: 'put' }>

/** What the twin keeps of a record that it can't be itself. */
interface Wrapped {
  readonly kind: Kind
  readonly op: RevisionOp
  readonly hash: string | null
  /** The transaction that staged it: its records are made together. */
  readonly tx: string
  readonly data?: JsonValue
}

export function twinId(id: string): string {
  return prefix + id
}

export function isTwinId(id: string): boolean {
  return id.startsWith(prefix)
}

export function idOfTwin(twin: string): string {
  return twin.slice(prefix.length)
}

export function isStaged(stored: StoredRecord | null | undefined): stored is StoredRecord {
  return stored?.record.kind === stagedKind
}

function wrapped({ data }: Pick<MemoryRecord, 'data'>): Wrapped {
  return data as unknown as Wrapped
}

export function stagingTransaction({ record }: StoredRecord): string {
  return wrapped(record).tx
}

export function twinPut(put: Put, tx: string): Put {
  const { id, kind, data } = put.record
  const keep: Wrapped = { kind, op: put.op, hash: put.hash, tx, ...(data === undefined ? {} : { data }) }
  return { ...put, record: { ...put.record, id: twinId(id), kind: stagedKind, data: keep as unknown as JsonValue } }
}

/** The record that a twin stands for. */
export function recordOfTwin(twin: MemoryRecord): MemoryRecord {
  const { kind, data } = wrapped(twin)
  const record = { ...twin, id: idOfTwin(twin.id), kind }
  if (data === undefined) delete record.data
  else record.data = data
  return record
}

export function storedOfTwin(twin: StoredRecord): StoredRecord {
  return { ...twin, record: recordOfTwin(twin.record) }
}

/** The changes that make a record of a staged one. */
export function promotion(twin: StoredRecord): readonly StoreChange[] {
  const { op, hash } = wrapped(twin.record)
  const { record, analysis, vector } = storedOfTwin(twin)
  return [markOf(twin), { type: 'put', op, record, hash, analysis, vector }]
}

/** The change that leaves a mark where a twin was. */
export function markOf({ record: { id, scope } }: StoredRecord): StoreChange {
  return ownPut('archive', { id, kind: promotedKind, content: 'promoted', scope, status: 'archived' })
}

/** The transaction that makes records of what another one staged. */
export function promotionOf(tx: string): string {
  return `${tx}~promoted`
}
