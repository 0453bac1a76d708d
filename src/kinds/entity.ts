import { z } from 'zod'
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MemoryRecord,
  madeOnce,
  parseWith,
} from '../model/index.ts'
import { fold } from '../text/index.ts'
import { filled, maxName, maxText } from './fields.ts'

/** Somebody or something that is known by name. */
export interface Entity {
  /** Unique in its scope. */
  readonly name: string
  /** Such as `person` or `company`; empty when nothing is said. */
  readonly type: string
  /** Other names, none of them another entity's in the scope. */
  readonly aliases: readonly string[]
  /** Empty when nothing is said. */
  readonly description: string
}

const maxAliases = 100

const entitySchema = madeOnce(() =>
  z.object({
    type: filled(256).optional(),
    aliases: z.array(filled(maxName)).max(maxAliases).optional(),
    description: filled(maxText).optional(),
  }),
)

/** Names as they are compared: however they are spaced, in whatever case and with or without accents. */
export function nameForm(name: string): string {
  // Of a name that is all signs nothing is left.
  return fold(name).trim().replace(/\s+/gu, ' ') || name
}

export function isCalled({ name, aliases }: Entity, form: string): boolean {
  return nameForm(name) === form || aliases.some((alias) => nameForm(alias) === form)
}

/** Other names, each once and none of them the name. */
function otherNames(name: string, aliases: readonly string[]): string[] {
  const forms = new Set([nameForm(name)])
  return aliases.filter((alias) => {
    const form = nameForm(alias)
    if (forms.has(form)) return false
    forms.add(form)
    return true
  })
}

/**
 * What is known of an entity, completed and checked.
 * @throws InputError INVALID_RECORD naming the field
 */
export function parseEntity(given: Partial<Entity> & Pick<Entity, 'name'>): Entity {
  const { name, ...said } = given
  const aliases = otherNames(name, said.aliases ?? [])
  const fields = Object.fromEntries(Object.entries({ ...said, aliases }).filter(([, value]) => value !== ''))
  const { type = '', description = '' } = parseWith(entitySchema(), fields, 'entity', 'INVALID_RECORD')
  return { name, type, aliases, description }
}

/** Two that are one: what the one that stays says counts, and what only the other says is added. */
export function mergedEntity(stays: Entity, goes: Entity): Entity {
  return parseEntity({
    name: stays.name,
    type: stays.type || goes.type,
    aliases: [...stays.aliases, goes.name, ...goes.aliases],
    description: stays.description || goes.description,
  })
}

/** As a payload, without what is not said. */
export function entityData({ type, aliases, description }: Entity): JsonObject {
  return {
    ...(type === '' ? {} : { type }),
    ...(aliases.length === 0 ? {} : { aliases: [...aliases] }),
    ...(description === '' ? {} : { description }),
  }
}

/** As the text that is searched. */
export function entityText({ name, type, aliases, description }: Entity): string {
  const called = aliases.length === 0 ? '' : `, also ${aliases.join(', ')}`
  const what = type === '' ? '' : ` (${type})`
  return `${name}${what}${called}${description === '' ? '' : `. ${description}`}`
}

function textIn(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** What a record says of an entity; whatever its payload is, nothing fails. */
export function entityIn({ key, content, data }: Pick<MemoryRecord, 'key' | 'content' | 'data'>): Entity {
  const payload = isJsonObject(data) ? data : {}
  const { type, aliases, description } = payload
  const names = Array.isArray(aliases) ? aliases.filter((alias): alias is string => typeof alias === 'string') : []
  return { name: key ?? content, type: textIn(type), aliases: names, description: textIn(description) }
}
