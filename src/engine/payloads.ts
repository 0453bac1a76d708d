import { parseSkill } from '../kinds/index.ts'
import type { RecordDraft } from '../model/index.ts'
import { skillKind } from './verbs/skills/skill-record.ts'

/** Whatever writes a procedural memory: a payload that it has is a skill (SKL-11). @throws InputError naming the field */
export function checkPayload({ kind, data }: Pick<RecordDraft, 'kind' | 'data'>): void {
  if (kind === skillKind && data !== undefined) parseSkill(data, 'memory.data')
}
