import { skillKind, toolFromPayload, toolKind } from '../kinds/index.ts'
import type { RecordDraft } from '../model/index.ts'

/**
 * Whatever writes a procedural memory: a payload that it has is a skill (SKL-11). What is known of the payload of a tool has its
 * form, and there may be more (TSP-2). @throws InputError naming the field
 */
export function checkPayload({ kind, key, data }: Pick<RecordDraft, 'kind' | 'key' | 'data'>): void {
  if (data === undefined) return
  if (kind === skillKind.kind) skillKind.parse(data, 'memory.data')
  if (kind === toolKind.kind) toolFromPayload(data, key, 'memory.data')
}
