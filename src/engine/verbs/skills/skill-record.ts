import { parseSkill, type Skill } from '../../../kinds/index.ts'
import type { JsonValue, MemoryRecord } from '../../../model/index.ts'

/** Skills are memories of this kind with a key and a payload. */
export const skillKind = 'procedural'

/** What a record says is to be done; null for one without a payload. */
export function skillOf({ data }: Pick<MemoryRecord, 'data'>): Skill | null {
  return data === undefined ? null : parseSkill(data)
}

/** As a payload. */
export function payloadOf(skill: Skill): JsonValue {
  return skill as unknown as JsonValue
}
