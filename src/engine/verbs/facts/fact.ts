import { keptValue } from '../../../kinds/index.ts'
import type { MemoryRecord } from '../../../model/index.ts'
import type { Fact } from '../../api/facts.ts'

/** Facts are memories of this kind with a key. */
export const factKind = 'semantic'

export function factOf(record: MemoryRecord): Fact {
  const { key, source, confidence, version, updatedAt, id } = record
  return { key: key as string, value: keptValue(record), source, confidence, version, updatedAt, id }
}
