import type { StoreChange, StoredVector, Transaction } from '../../../contract/index.ts'
import { fromFloatBytes, toFloatBytes } from '../../../vector/index.ts'

// A transaction as text, which is how it waits.

interface PackedVector {
  readonly space: string
  readonly base64: string
}

export function packed(transaction: Transaction): string {
  const pack = (vector: StoredVector | null) =>
    vector && { space: vector.space, base64: Buffer.from(toFloatBytes(vector.values)).toString('base64') }
  const changes = transaction.changes.map((change) =>
    change.type === 'put' ? { ...change, vector: pack(change.vector) } : change,
  )
  return JSON.stringify({ ...transaction, changes })
}

export function unpacked(entry: string): Transaction {
  const transaction = JSON.parse(entry) as Transaction
  const changes = transaction.changes.map((change) => {
    if (change.type !== 'put' || change.vector === null) return change
    const { space, base64 } = change.vector as unknown as PackedVector
    return { ...change, vector: { space, values: fromFloatBytes(Buffer.from(base64, 'base64')) } }
  })
  return { ...transaction, changes }
}

export function putsOf({ changes }: Transaction): readonly Extract<StoreChange, { readonly type: 'put' }>[] {
  return changes.filter((change) => change.type === 'put')
}

/** The ids of what an entry adds; none where nobody understands it. */
export function idsIn(entry: string): string[] {
  try {
    return putsOf(unpacked(entry)).map(({ record }) => record.id)
  } catch {
    return []
  }
}
