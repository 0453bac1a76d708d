import { InputError } from '../errors/index.ts'
import { equalJson, type JsonObject, type JsonValue, type Kind, type MemoryRecord } from '../model/index.ts'
import { defaultMinScore, parseSkill, type Skill, type SkillEntry } from './skills/index.ts'
import { argumentTexts, parseTool, spoken, type Tool, toolFromPayload } from './tools/index.ts'

/** What has a name and versions, and counts how often it worked. */
export interface Named {
  readonly name: string
  readonly version: number
  readonly successes: number
  readonly failures: number
}

/** What names a skill or a tool, and when to use it. */
export interface Brief {
  readonly name: string
  readonly trigger: string
  readonly version: number
}

/** A kind of memory whose payload has a name and versions: what its verbs need to know of it. */
export interface NamedKind<Item extends Named> {
  readonly kind: Kind
  /** For messages and fields: `skill`. */
  readonly word: string
  /** A checked copy of what a caller gives. @throws InputError naming the field */
  parse(value: unknown, what?: string): Item
  /** What a record says; null for one without a payload, without a name, or whose payload is none, however it got there. */
  of(record: Pick<MemoryRecord, 'data' | 'key'>): Item | null
  /** What a need is compared with word by word, read without a check of the rest: for every candidate of a search. */
  brief(record: Pick<MemoryRecord, 'data' | 'key'>): Brief | null
  /** The text of its memory: what search finds it by. */
  content(item: Item): string
  /** What is matched with a need. */
  entry(item: Item): SkillEntry['skill']
  /** What the best of so many must reach for likeness to count as a match, 0..1. */
  minScore(items: number): number
  /** Whether two are the same version: what use has added does not count. */
  isSame(a: Item, b: Item): boolean
  /** What the same version becomes when it is told anew in other words; null when it stays as it is. */
  revised?(known: Item, told: Item): Item | null
}

/** All but what use has added, of a skill, a tool or a payload of one. */
export function withoutUses(item: object): JsonObject {
  const { version: _v, successes: _s, failures: _f, examples: _e, ...rest } = item as JsonObject
  return rest
}

/** One damaged record must not hide the others. */
function unlessRefused<Item>(parse: () => Item | null): Item | null {
  try {
    return parse()
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

function briefOf(data: JsonValue | undefined, triggerField: string, key: string | undefined): Brief | null {
  if (typeof data !== 'object' || data === null) return null
  const { name = key, version, [triggerField]: trigger = name } = data as JsonObject
  if (typeof trigger !== 'string') return null
  return {
    name: typeof name === 'string' ? name : trigger,
    trigger,
    version: typeof version === 'number' ? version : 1,
  }
}

export const skillKind: NamedKind<Skill> = {
  kind: 'procedural',
  word: 'skill',
  parse: parseSkill,
  of: ({ data }) => (data === undefined ? null : unlessRefused(() => parseSkill(data))),
  brief: ({ data }) => briefOf(data, 'trigger', undefined),
  content: ({ trigger }) => trigger,
  entry: (skill) => skill,
  minScore: defaultMinScore,
  isSame: (a, b) => equalJson(withoutUses(a), withoutUses(b)),
}

/** Where there is an implementation, that is the tool: another description of it is no other version. */
function toolHash(tool: Tool): JsonObject {
  if (tool.implementation === undefined) return withoutUses(tool)
  const { description: _description, ...rest } = withoutUses(tool)
  return rest
}

export const toolKind: NamedKind<Tool> = {
  kind: 'tool',
  word: 'tool',
  parse: parseTool,
  of: ({ data, key }) => (data === undefined ? null : unlessRefused(() => toolFromPayload(data, key))),
  brief: ({ data, key }) => briefOf(data, 'description', key),
  content: ({ description }) => description,
  // A need rarely says the name of a tool: what it does is its trigger.
  entry: (tool) => ({
    name: tool.name,
    trigger: tool.description,
    description: spoken(tool.name),
    steps: argumentTexts(tool),
    version: tool.version,
  }),
  // What is asked of a tool is mostly about what it is to be given: needs are less like it than like a skill. Set by hand on some
  // twenty needs and twelve tools, with the built-in embedder: of what none could do one in ten reached it.
  minScore: (tools) => 0.7 * defaultMinScore(tools),
  isSame: (a, b) => equalJson(toolHash(a), toolHash(b)),
  revised: (known, { description }) => (description === known.description ? null : { ...known, description }),
}

const namedKinds: readonly NamedKind<Named>[] = [skillKind, toolKind]

/** The form of the memories of a kind that have a name and versions; undefined for every other kind. */
export function namedKindOf(kind: Kind): NamedKind<Named> | undefined {
  return namedKinds.find((form) => form.kind === kind)
}
