import type { z } from 'zod'

/** What is said of a memory, in the memory: not beside it. */
const ofTheMemory = [
  'kind',
  'key',
  'data',
  'tags',
  'metadata',
  'importance',
  'source',
  'eventTime',
  'expiresAt',
  'pinned',
  'id',
]

/** When a memory took place, or a message was said. */
const times = ['eventTime', 'at']

/** What people call our fields who come from elsewhere; of several, the one that is there. */
const alsoCalled: Readonly<Record<string, string | readonly string[]>> = {
  topK: 'limit',
  top_k: 'limit',
  k: 'limit',
  threshold: 'minScore',
  filters: 'filter',
  text: 'content',
  memory: 'content',
  message: 'content',
  type: 'kind',
  timestamp: times,
  time: times,
  date: times,
  created_at: times,
  createdAt: times,
  speaker: ['name', 'actor'],
  tokens: 'budget: { tokens }',
  budget: 'tokens',
  maxTokens: ['tokens', 'budget: { tokens }'],
  max_tokens: ['tokens', 'budget: { tokens }'],
  appId: 'scope: { appId }',
  ...Object.fromEntries(ofTheMemory.map((name) => [name, `memory: { content, ${name} }`])),
  userId: 'scope: { userId }',
  user_id: 'scope: { userId }',
  agentId: 'scope: { agentId }',
  sessionId: 'scope: { sessionId }',
  user: 'scope: { userId }',
  agent: 'scope: { agentId }',
  session: 'scope: { sessionId }',
  namespace: 'scope: { namespace }',
}

/** Most names that a message lists, and that it writes as an object. */
const maxListed = 40
const maxWritten = 8

type Shape = Readonly<Record<string, z.core.$ZodType>>

interface Parts {
  readonly shape?: Shape
  readonly element?: unknown
  /** Of an object with names of the caller's own: what lies under each. */
  readonly valueType?: unknown
  readonly options?: readonly unknown[]
}

/** What a schema is made of; of a union, of each of its members. */
function partsOf(schema: unknown): readonly Parts[] {
  const def = (schema as z.core.$ZodType)._zod.def as Parts & { innerType?: unknown }
  if (def.innerType !== undefined) return partsOf(def.innerType)
  return def.options === undefined ? [def] : def.options.flatMap(partsOf)
}

/** The fields that the object at a path may have. */
function knownFields(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  let current = partsOf(schema)
  for (const part of path) {
    current = current
      .map(({ shape, element, valueType }) =>
        typeof part === 'number' ? element : (shape?.[String(part)] ?? valueType),
      )
      .filter((inner) => inner !== undefined)
      .flatMap(partsOf)
  }
  return [...new Set(current.flatMap(({ shape }) => Object.keys(shape ?? {})))]
}

/** How the object at a path is written; empty where it has no fields of its own, or many. */
export function writtenAs(schema: z.core.$ZodType, path: readonly PropertyKey[]): string {
  const known = knownFields(schema, path)
  return known.length === 0 || known.length > maxWritten ? '' : ` with fields of { ${known.join(', ')} }`
}

/** How many letters have to be put in, taken out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const lower = name.slice(0, 64).toLowerCase()
  const ranked = known
    .map((candidate) => ({ candidate, off: distance(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.off - b.off)
  const best = ranked[0]
  const begins =
    lower.length < 3 ? undefined : ranked.find(({ candidate }) => candidate.toLowerCase().startsWith(lower))
  if (begins) return begins.candidate
  return best && best.off <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined
}

/** What to write instead of a field that does not exist: the likeliest, and all there are. */
export function hintFor(name: string, schema: z.core.$ZodType, path: readonly PropertyKey[]): string {
  const known = knownFields(schema, path)
  const aliases = Object.hasOwn(alsoCalled, name) ? [alsoCalled[name] ?? []].flat() : []
  const alias = aliases.find((one) => known.includes(one.split(':')[0] as string))
  const meant = alias ?? nearest(name, known)
  const question = meant === undefined ? ' Check the spelling.' : ` Did you mean ${meant}?`
  return known.length === 0 || known.length > maxListed ? question : `${question} Known: ${known.join(', ')}.`
}
