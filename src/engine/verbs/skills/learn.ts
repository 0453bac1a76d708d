import { z } from 'zod'
import type { PutRecord, StoredRecord } from '../../../contract/index.ts'
import { NotFoundError } from '../../../errors/index.ts'
import { parseSkill, type Skill, skillFromMarkdown } from '../../../kinds/index.ts'
import { equalJson, type JsonValue, parseNewMemory, type RecordDraft, type Scope } from '../../../model/index.ts'
import type { SkillLearnResult, SkillOutcome, SkillReadFileResult } from '../../api/skills.ts'
import { holderOf, keyField, nearestOfKey } from '../../keyed.ts'
import { type Call, writeOptions } from '../../verb.ts'
import { type Answered, defineWrite, outcomeOf, type Planned } from '../../write-verb.ts'
import { unstamped } from '../add-planning.ts'
import { planFirst, planSuccessor } from '../successor.ts'
import { payloadOf, skillKind, skillOf } from './skill-record.ts'
import { skillsOf } from './versions.ts'

/** What makes two versions the same: all but what use has added. */
function sameSkill(a: Skill, b: Skill): boolean {
  const said = ({ version: _v, successes: _s, failures: _f, examples: _e, ...rest }: Skill) =>
    rest as unknown as JsonValue
  return equalJson(said(a), said(b))
}

function draftOf({ core }: Call, skill: Skill, scope: Scope): Omit<RecordDraft, 'id'> {
  const memory = { kind: skillKind, key: skill.name, content: skill.trigger, data: payloadOf(skill) }
  return parseNewMemory(memory, { scope, importance: core.defaults.importance }, 'skill').draft
}

/** The next version: in a record of its own beside the one before, or in its place, as the policy has it. */
function planNext(call: Call, current: StoredRecord, skill: Skill, scope: Scope): Planned {
  const { core } = call
  const draft = draftOf(call, skill, scope)
  const { id } = current.record
  if (!core.policies.of(skillKind).versionOnEdit) {
    const { content, data } = draft
    const after: PutRecord = { ...unstamped(current.record), content, ...(data === undefined ? {} : { data }) }
    return { steps: [{ type: 'put', op: 'update', before: current, after }], refs: [{ id, scope }], extra: 'updated' }
  }
  return { ...planSuccessor(call, current, draft), extra: 'superseded' }
}

async function planLearn(call: Call, skill: Skill, scope: Scope, signal?: AbortSignal): Promise<Planned> {
  const { core } = call
  const { taken, current } = await holderOf(core, skillKind, skill.name, scope, signal)
  if (!current) return { ...planFirst(core, taken, draftOf(call, skill, scope)), extra: 'added' }
  const known = skillOf(current.record)
  if (known && sameSkill(known, skill)) {
    const { id, version } = current.record
    const step = { type: 'noop', before: current, reason: 'the same skill is there' } as const
    return { steps: [step], refs: [{ id, scope, version }], extra: 'duplicate' }
  }
  // Versions of a name go up by one, whatever the caller calls them.
  return planNext(call, current, { ...skill, version: (known?.version ?? 0) + 1 }, scope)
}

function answerLearned(answered: Answered): SkillLearnResult {
  const [record, previous] = answered.records as SkillLearnResult['record'][]
  return {
    record: record as SkillLearnResult['record'],
    skill: skillOf(record as SkillLearnResult['record']) as Skill,
    ...(previous ? { previous } : {}),
    ...outcomeOf(answered),
    outcome: answered.extra as SkillOutcome,
  }
}

export const skillsLearn = defineWrite({
  name: 'skills.learn',
  summary: 'Learn how something is done; another skill of the same name is its next version.',
  positional: ['skill'],
  input: z.strictObject({ skill: z.unknown(), ...writeOptions }),
  example: 'mneme skills learn \'{"trigger": "brew tea", "steps": ["boil water", "wait four minutes"]}\' --user ann',
  plan: (call, input, scope) => planLearn(call, parseSkill(input.skill), scope, input.signal),
  answer: answerLearned,
})

export const skillsRollback = defineWrite({
  name: 'skills.rollback',
  summary: 'Make an earlier version of a skill the newest one.',
  positional: ['name', 'version'],
  input: z.strictObject({ name: keyField, version: z.int().min(1), ...writeOptions }),
  example: 'mneme skills rollback "brew tea" 1 --user ann',
  async plan(call, input, scope) {
    const found = await nearestOfKey(call.core, skillKind, input.name, [scope], input.signal)
    const wanted = skillsOf(found).find(({ version }) => version === input.version)
    if (wanted) return planLearn(call, { ...wanted, successes: 0, failures: 0 }, scope, input.signal)
    throw new NotFoundError({
      code: 'RECORD_NOT_FOUND',
      message: `No version ${input.version} of this skill in this scope. See skills.versions.`,
      details: { version: input.version },
    })
  },
  answer: answerLearned,
})

export const skillsFromMarkdown = defineWrite({
  name: 'skills.fromMarkdown',
  summary: 'Learn what a SKILL.md says.',
  positional: ['text'],
  input: z.strictObject({ text: z.string(), ...writeOptions }),
  example: 'mneme skills to-markdown "brew tea" --user ann | mneme skills from-markdown - --user bob',
  async plan(call, input, scope) {
    const { skill, ignored } = await skillFromMarkdown(input.text)
    const planned = await planLearn(call, skill, scope, input.signal)
    return { ...planned, extra: { outcome: planned.extra as SkillOutcome, ignored: [...ignored] } }
  },
  answer(answered): SkillReadFileResult {
    const { outcome, ignored } = answered.extra as unknown as { outcome: SkillOutcome; ignored: string[] }
    return { ...answerLearned({ ...answered, extra: outcome }), ignored }
  },
})
