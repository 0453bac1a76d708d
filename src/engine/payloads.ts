import { skillKind, toolFromPayload, toolKind } from '../kinds/index.ts'
import { equalJson, type RecordDraft } from '../model/index.ts'
import type { WorkStep } from './work.ts'

/**
 * Whatever writes a procedural memory: a payload that it has is a skill (SKL-11). What is known of the payload of a tool has its
 * form, and there may be more (TSP-2). @throws InputError naming the field
 */
export function checkPayload({ kind, key, data }: Pick<RecordDraft, 'kind' | 'key' | 'data'>): void {
  if (data === undefined) return
  if (kind === skillKind.kind) skillKind.parse(data, 'memory.data')
  if (kind === toolKind.kind) toolFromPayload(data, key, 'memory.data')
}

/** The payloads of a write. One that was there before, damaged as it may be, may go on as a former version (KND-9). */
export function checkPayloads(steps: readonly WorkStep[]): void {
  for (const step of steps) {
    if (step.type !== 'put') continue
    const { kind, data } = step.after
    try {
      checkPayload(step.after)
    } catch (error) {
      const isKept = steps.some(
        (other) =>
          other.type === 'put' && other.before?.record.kind === kind && equalJson(other.before.record.data, data),
      )
      if (!isKept) throw error
    }
  }
}
