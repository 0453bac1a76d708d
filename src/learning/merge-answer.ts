import { z } from 'zod'
import { equalJson, type JsonObject, type MemoryRecord } from '../model/index.ts'
import { dateWords } from '../text/index.ts'
import { frameData } from './prompts/index.ts'
import { inventedIn, lostFrom } from './summaries/index.ts'

/** What a model is shown of memories that may belong together: by number, from 1. */
export function mergeMessage(records: readonly MemoryRecord[], instructions: string | undefined): string {
  const memories = records.map(({ content, createdAt, validFrom, source }, i) => ({
    number: i + 1,
    since: dateWords({ start: validFrom ?? createdAt, granularity: 'day' }),
    ...(source.actor === undefined ? {} : { by: source.actor }),
    text: content,
  }))
  const wishes =
    instructions === undefined ? '' : `\nWhat the owner of the memories wants:\n${frameData('wishes', instructions)}`
  return `${frameData('memories', memories)}${wishes}`
}

/** The answer that a question about so many memories has. */
export function mergeAnswer(memories: number) {
  const source = z.int().min(1).max(memories)
  return z.object({
    merges: z
      .array(z.object({ text: z.string().trim().min(1).max(10_000), sources: z.array(source).min(1).max(100) }))
      .max(500),
  })
}
export type MergeAnswer = z.infer<ReturnType<typeof mergeAnswer>>

/** One statement in the place of several. */
export interface Merge {
  readonly text: string
  readonly sources: readonly MemoryRecord[]
}

export interface CheckedMerges {
  readonly merges: readonly Merge[]
  readonly refused: readonly { readonly sources: readonly MemoryRecord[]; readonly reason: string }[]
  /** Of the memories that would have been replaced, the share that the texts keep; 1 where none would. */
  readonly retention: number
}

/** Whether two memories may become one, whatever is written of them. */
function belong(a: MemoryRecord, b: MemoryRecord): boolean {
  const sameFields = (one: JsonObject, other: JsonObject) =>
    Object.entries(one).every(
      ([field, value]) => !Object.hasOwn(other, field) || equalJson(value, other[field] ?? null),
    )
  return (
    a.kind === b.kind &&
    a.trust === b.trust &&
    a.source.actor === b.source.actor &&
    equalJson((a.eventTime ?? null) as never, (b.eventTime ?? null) as never) &&
    sameFields(a.metadata, b.metadata)
  )
}

/** More than so much longer than all that it replaces, a text says more than they do. */
const longest = 1.2

function faultOf(text: string, sources: readonly MemoryRecord[], used: ReadonlySet<string>): string | null {
  if (new Set(sources.map(({ id }) => id)).size < 2) return 'it names fewer than two memories'
  if (sources.some(({ id }) => used.has(id))) return 'a memory is in another group already'
  const [first, ...rest] = sources as [MemoryRecord, ...MemoryRecord[]]
  if (!rest.every((one) => belong(first, one))) return 'they differ in speaker, trust, kind, time or metadata'
  for (const { content } of sources) {
    const lost = lostFrom(content, text)
    if (lost !== null) return `it loses ${lost}`
  }
  const contents = sources.map(({ content }) => content)
  const invented = inventedIn(text, contents)
  if (invented !== null) return `it says ${invented} that none of them says`
  const length = contents.reduce((sum, content) => sum + content.length + 1, 0)
  return text.length > longest * length ? 'it is longer than all of them' : null
}

/**
 * Holds each group of a model's answer against the memories that it would replace: every number, name, date and negation of each of
 * them, and most of its words, must be in the text, and none that they do not have. What fails is left as it is.
 */
export function checkedMerges({ merges }: MergeAnswer, records: readonly MemoryRecord[]): CheckedMerges {
  const kept: Merge[] = []
  const refused: { sources: readonly MemoryRecord[]; reason: string }[] = []
  const used = new Set<string>()
  let named = 0
  let retained = 0
  for (const { text: written, sources: numbers } of merges) {
    const text = written.replace(/\s+/g, ' ')
    const sources = [...new Set(numbers)].map((number) => records[number - 1] as MemoryRecord)
    named += sources.length
    const fault = faultOf(text, sources, used)
    if (fault === null) {
      kept.push({ text, sources })
      for (const { id } of sources) used.add(id)
      retained += sources.length
    } else {
      refused.push({ sources, reason: fault })
      retained += sources.filter(({ content }) => lostFrom(content, text) === null).length
    }
  }
  return { merges: kept, refused, retention: named === 0 ? 1 : retained / named }
}

/** What the statement takes over from the memories in whose place it stands. */
export function mergedFields(sources: readonly MemoryRecord[]) {
  const [first] = sources as [MemoryRecord, ...MemoryRecord[]]
  const since = sources.map(({ validFrom }) => validFrom)
  const known = since.every((time) => time !== undefined) ? since.toSorted().at(-1) : undefined
  return {
    kind: first.kind,
    scope: first.scope,
    trust: first.trust,
    tags: [...new Set(sources.flatMap(({ tags }) => tags))].slice(0, 1000),
    metadata: Object.assign({}, ...sources.map(({ metadata }) => metadata)) as JsonObject,
    importance: Math.max(...sources.map(({ importance }) => importance)),
    confidence: Math.min(...sources.map(({ confidence }) => confidence)),
    reliability: Math.min(...sources.map(({ reliability }) => reliability)),
    ...(first.eventTime === undefined ? {} : { eventTime: first.eventTime }),
    // It holds as a whole since the last of them does.
    ...(known === undefined ? {} : { validFrom: known }),
  }
}
