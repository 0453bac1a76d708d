import { granularities, sourceTypes, statuses, trustLevels } from '../../model/index.ts'
import type { OptionSpec } from './option-specs.ts'
import { parseJsonText, refuse } from './option-values.ts'

function field(name: string, kind: OptionSpec['kind'], choices?: readonly string[]): OptionSpec {
  return { name, kind, required: false, ...(choices ? { choices } : {}) }
}

/** The fields of a memory as options, for every verb that makes or changes one. */
export const memoryFields: readonly OptionSpec[] = [
  field('kind', 'text'),
  field('key', 'text'),
  field('tags', 'list'),
  field('metadata', 'json'),
  field('data', 'json'),
  field('importance', 'number'),
  field('confidence', 'number'),
  field('reliability', 'number'),
  field('source', 'choice', sourceTypes),
  field('sourceActor', 'text'),
  field('sourceRef', 'text'),
  field('sourceQuote', 'text'),
  field('sourceFrom', 'list'),
  field('trust', 'choice', trustLevels),
  field('eventTime', 'text'),
  field('validFrom', 'text'),
  field('validTo', 'text'),
  field('expiresAt', 'text'),
  field('pinned', 'flag'),
  field('status', 'choice', statuses),
  field('vector', 'json'),
]

/** Only a new memory is given an id. */
export const idField = field('id', 'text')
/** Only a change names its content by an option. */
export const contentField = field('content', 'text')

const partsOfSource = { sourceActor: 'actor', sourceRef: 'ref', sourceQuote: 'quote', sourceFrom: 'from' } as const

function sourceOf(given: Readonly<Record<string, unknown>>): object | undefined {
  const parts = Object.entries(partsOfSource).flatMap(([option, part]) =>
    given[option] === undefined ? [] : [[part, given[option]]],
  )
  if (given.source === undefined && parts.length === 0) return undefined
  return { type: given.source ?? 'user', ...Object.fromEntries(parts) }
}

/** A start alone, or JSON with start, end, zone and granularity. */
function eventTimeOf(given: unknown): unknown {
  if (typeof given !== 'string') return undefined
  if (!given.startsWith('{')) return { start: given }
  const value = parseJsonText(given, '--event-time')
  if (typeof value === 'object' && value !== null && 'start' in value) return value
  throw refuse(
    '--event-time',
    `needs a start; end, zone and granularity (${granularities.join(', ')}) may be there too`,
  )
}

/** The fields of a memory from the options that name them. */
export function memoryOf(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parts = new Set([...Object.keys(partsOfSource), 'source', 'eventTime'])
  const source = sourceOf(given)
  const eventTime = eventTimeOf(given.eventTime)
  return {
    ...Object.fromEntries(Object.entries(given).filter(([name]) => !parts.has(name))),
    ...(source === undefined ? {} : { source }),
    ...(eventTime === undefined ? {} : { eventTime }),
  }
}
