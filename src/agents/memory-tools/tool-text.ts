import type { PlanStep, SearchHit, SummarizeResult } from '../../engine/index.ts'
import type { JsonObject, JsonValue, MemoryRecord } from '../../model/index.ts'

/** Most characters of one memory that a model is shown. */
const shownCharacters = 4000
/** Of what was changed: it is known what it was about. */
const changedCharacters = 500
/** Most changes that a model is shown. */
const shownChanges = 50

// What could open a tag, and what is not seen or reorders what is: as escapes they are still the same JSON.
const hidden = /[<>&\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/**
 * One line of JSON that can't be taken for anything else: no line break, no angle bracket, no invisible character stands in
 * it as itself (TOL-6).
 */
export function fencedLine(value: JsonValue): string {
  return JSON.stringify(value).replace(hidden, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/** A sentence of ours over lines of data. */
export function answerText(sentence: string, items: readonly JsonObject[]): string {
  return [sentence, ...items.map(fencedLine)].join('\n')
}

/** A text as far as it is shown; what is left out is counted. */
function shownText(name: string, text: string, most: number): JsonObject {
  if (text.length <= most) return { [name]: text }
  return { [name]: text.slice(0, most), [`${name}CharactersLeftOut`]: text.length - most }
}

/** When it happened, as exactly as it is known; else when it was stored. */
function dateOf({ eventTime, createdAt }: Pick<MemoryRecord, 'eventTime' | 'createdAt'>): JsonObject {
  if (!eventTime) return { stored: createdAt }
  const { start, end, granularity, zone } = eventTime
  return {
    happened: start,
    ...(end === undefined ? {} : { until: end }),
    ...(granularity === undefined || granularity === 'instant' ? {} : { known: `to the ${granularity}` }),
    ...(zone === undefined ? {} : { zone }),
    stored: createdAt,
  }
}

/** What a model reads of a memory. */
function recordItem(record: MemoryRecord): JsonObject {
  const { id, kind, key, status, tags, source, trust, content } = record
  return {
    id,
    ...dateOf(record),
    kind,
    ...(key === undefined ? {} : { key }),
    ...(status === 'live' ? {} : { status }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    source: source.type,
    ...(source.actor === undefined ? {} : { by: source.actor }),
    trust,
    ...shownText('text', content, shownCharacters),
  }
}

/** A summary with the memories that it is from. */
export function summaryItem({ text, sources, trust }: SummarizeResult): JsonObject {
  return {
    ...shownText('text', text, shownCharacters),
    sources: [...sources],
    ...(trust === undefined ? {} : { trust }),
  }
}

/** A found memory: id and score first. */
export function hitItem(hit: SearchHit): JsonObject {
  const { id, ...rest } = recordItem(hit)
  return { id: id as string, score: Math.round(hit.score * 1000) / 1000, ...rest }
}

/** What a model reads of a change: what is there, and what would be or is there afterwards. */
function stepItem({ op, before, after, reason }: PlanStep): JsonObject {
  const id = before?.id ?? after?.id
  const isSame = before !== undefined && after !== undefined && before.content === after.content
  return {
    op,
    ...(id === undefined ? {} : { id }),
    ...(before === undefined ? {} : shownText('before', before.content, changedCharacters)),
    ...(after === undefined || isSame ? {} : shownText('after', after.content, changedCharacters)),
    ...(before !== undefined && after !== undefined && before.status !== after.status ? { status: after.status } : {}),
    ...(op === 'noop' ? { why: reason } : {}),
  }
}

/** The first changes of a plan, and how many more there are. */
export function changeItems(steps: readonly PlanStep[]): {
  readonly items: readonly JsonObject[]
  readonly more: string
} {
  const left = steps.length - shownChanges
  return { items: steps.slice(0, shownChanges).map(stepItem), more: left > 0 ? ` ${left} more are not shown.` : '' }
}
