import { type HotTier, type StoredRecord, stampRecord } from '../../../contract/index.ts'
import { putsOf, unpacked } from './entry.ts'

function recordsOf(entry: string): StoredRecord[] {
  try {
    const transaction = unpacked(entry)
    return putsOf(transaction).map(({ record, analysis, vector }) => ({
      record: stampRecord(record, { lastVersion: 0, createdAt: null, at: transaction.at }),
      analysis,
      vector,
    }))
  } catch {
    // Nobody understands it; what becomes of it is settled when it is brought.
    return []
  }
}

/** The records that wait, as their callers were told of them: nothing changes one before it is brought. */
export async function recordsIn(queue: HotTier['queue'], most: number): Promise<StoredRecord[]> {
  return (await queue.peek(most)).flatMap(recordsOf)
}
