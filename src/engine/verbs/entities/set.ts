import { z } from 'zod'
import type { PutRecord, StoredRecord } from '../../../contract/index.ts'
import { ConflictError } from '../../../errors/index.ts'
import { type Entity, entityData, entityIn, entityText, isCalled, nameForm, parseEntity } from '../../../kinds/index.ts'
import { equalJson, type JsonValue, parseNewMemory, type Scope } from '../../../model/index.ts'
import type { EntityOutcome, EntityResult } from '../../api/entities.ts'
import type { Core } from '../../core.ts'
import { holderOf, keyField } from '../../keyed.ts'
import { type Call, writeOptions } from '../../verb.ts'
import { type Answered, defineWrite, outcomeOf, type Planned } from '../../write-verb.ts'
import { planEdit } from '../edit.ts'
import { planFirst } from '../successor.ts'
import { unstamped } from '../unstamped.ts'
import { entitiesOf, entityKind, findEntity, knownEntity, requireEntity } from './find-entity.ts'

/** No name leads to two. @throws ConflictError CONFLICT */
async function refuseTaken(core: Core, entity: Entity, own: string | null, scope: Scope, signal?: AbortSignal) {
  if (entity.aliases.length === 0) return
  const others = (await entitiesOf(core, scope, signal)).filter(({ record }) => record.id !== own)
  for (const alias of entity.aliases) {
    const form = nameForm(alias)
    const taken = others.find(({ record }) => isCalled(entityIn(record), form))
    if (!taken) continue
    const { id } = taken.record
    throw new ConflictError({
      code: 'CONFLICT',
      message: `aliases: one of them is a name of entity ${id}. If both are the same, merge them; else choose another.`,
      details: { id },
    })
  }
}

/** The record of an entity with what is said of it now. */
export function saying(record: PutRecord, entity: Entity): PutRecord {
  return { ...record, content: entityText(entity), data: entityData(entity) }
}

/** What is said of an entity that is there. */
async function planChange(call: Call, current: StoredRecord, entity: Entity, signal?: AbortSignal): Promise<Planned> {
  const { record } = current
  const { id, scope, version } = record
  if (equalJson(entityIn(record) as unknown as JsonValue, entity as unknown as JsonValue)) {
    const step = { type: 'noop', before: current, reason: 'all of it is known' } as const
    return { steps: [step], refs: [{ id, scope, version }], extra: 'unchanged' }
  }
  await refuseTaken(call.core, entity, id, scope, signal)
  const { step, kept } = planEdit(call.core, current, saying(unstamped(record), entity))
  return { steps: [...(kept ? [kept] : []), step], refs: [{ id, scope }], extra: 'updated' }
}

function answerEntity(answered: Answered): EntityResult {
  const record = answered.records[0] as EntityResult['record']
  return {
    record,
    entity: knownEntity(record),
    ...outcomeOf(answered),
    outcome: answered.extra as EntityOutcome,
  }
}

export const entitiesSet = defineWrite({
  name: 'entities.set',
  summary: 'Say who or what somebody or something is, by name.',
  positional: ['name'],
  input: () =>
    z.strictObject({
      name: keyField(),
      type: z.string().optional(),
      aliases: z.array(z.string()).optional(),
      description: z.string().optional(),
      ...writeOptions,
    }),
  example: 'mneme entities set Kiel --type city --aliases "city of Kiel" --user ann',
  async plan(call, input, scope) {
    const { core } = call
    const { name, type, aliases, description, signal } = input
    const said = Object.fromEntries(
      Object.entries({ type, aliases, description }).filter(([, value]) => value !== undefined),
    ) as Partial<Entity>
    const current = await findEntity(core, name, scope, signal)
    if (current) return planChange(call, current, parseEntity({ ...entityIn(current.record), ...said }), signal)
    const entity = parseEntity({ name, ...said })
    await refuseTaken(core, entity, null, scope, signal)
    const memory = { kind: entityKind, key: name, content: entityText(entity), data: entityData(entity) }
    const { draft } = parseNewMemory(memory, { scope, importance: core.defaults.importance }, 'entity')
    const { taken } = await holderOf(core, entityKind, name, scope, signal)
    return { ...planFirst(core, taken, draft), extra: 'added' }
  },
  answer: answerEntity,
})

export const entitiesAlias = defineWrite({
  name: 'entities.alias',
  summary: 'Give an entity another name.',
  positional: ['name', 'alias'],
  input: () => z.strictObject({ name: keyField(), alias: keyField(), ...writeOptions }),
  example: 'mneme entities alias Kiel "the capital of sailing" --user ann',
  async plan(call, { name, alias, signal }, scope) {
    const current = await requireEntity(call.core, name, scope, signal)
    const entity = entityIn(current.record)
    return planChange(call, current, parseEntity({ ...entity, aliases: [...entity.aliases, alias] }), signal)
  },
  answer: answerEntity,
})

export const entitiesUnalias = defineWrite({
  name: 'entities.unalias',
  summary: 'Take another name of an entity away.',
  positional: ['name', 'alias'],
  input: () => z.strictObject({ name: keyField(), alias: keyField(), ...writeOptions }),
  example: 'mneme entities unalias Kiel "city of Kiel" --user ann',
  async plan(call, { name, alias, signal }, scope) {
    const current = await requireEntity(call.core, name, scope, signal)
    const entity = entityIn(current.record)
    const form = nameForm(alias)
    const aliases = entity.aliases.filter((one) => nameForm(one) !== form)
    return planChange(call, current, parseEntity({ ...entity, aliases }), signal)
  },
  answer: answerEntity,
})
