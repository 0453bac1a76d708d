import type { Link, MemoryRecord, Scope } from '../../model/index.ts'
import { amount } from './amount.ts'
import { bad, bold, type Cell, dim, type Line, line, table, wholeLine } from './lines.ts'
import { visibleLines } from './visible.ts'

/** `2026-05-08`, in UTC as everything that is stored. */
export function day(instant: string): string {
  return instant.slice(0, 10)
}

/** `2026-05-08 13:56:02Z`. */
export function moment(instant: string): string {
  return `${day(instant)} ${instant.slice(11, 19)}Z`
}

export const noSuchMemory = 'No such memory in this scope. Check the id and the scope.'

export function scopeText(scope: Scope): string {
  const { appId, userId, agentId, sessionId, namespace } = scope
  const named = Object.entries({ user: userId, agent: agentId, session: sessionId, app: appId })
  return [
    ...named.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])),
    ...(namespace === undefined ? [] : [`namespace ${namespace.join('/')}`]),
  ].join(', ')
}

function signsOf(record: MemoryRecord): Cell[] {
  const { kind, key, tags, status, pinned } = record
  const signs: Cell[] = [
    ...(status === 'live' ? [] : [bad(status)]),
    ...(kind === 'semantic' ? [] : [kind]),
    ...(key === undefined ? [] : [`key=${key}`]),
    ...tags.map((tag) => `#${tag}`),
    ...(pinned ? ['pinned'] : []),
  ]
  return signs.flatMap((sign) => ['  ', sign])
}

/** How many scopes these are of. */
export function distinctScopes(items: readonly { readonly scope: Scope }[]): number {
  return new Set(items.map(({ scope }) => scopeText(scope))).size
}

/** A memory in two lines: about it, then what it says, as much as fits. */
export function recordLines(record: MemoryRecord, showScope = false, before: readonly Cell[] = []): Line[] {
  const { id, content, eventTime, createdAt, scope } = record
  const where = showScope ? ['  ', scopeText(scope)] : []
  return [
    line(...before, day(eventTime?.start ?? createdAt), '  ', dim(id), ...where, ...signsOf(record)),
    line('      ', content),
  ]
}

/** The way to show several memories: with whose each is, where that may differ (CLI-19). */
export function recordsShown(records: readonly MemoryRecord[], allScopes: boolean): (record: MemoryRecord) => Line[] {
  const showScope = allScopes || distinctScopes(records) > 1
  return (record) => recordLines(record, showScope)
}

function times(record: MemoryRecord): [string, string | undefined][] {
  const { eventTime, validFrom, validTo, createdAt, updatedAt, lastAccessedAt, expiresAt } = record
  const happened = eventTime && [eventTime.start, eventTime.end].flatMap((at) => (at ? [moment(at)] : [])).join(' to ')
  const precise = [eventTime?.granularity, eventTime?.zone].filter((part) => part !== undefined).join(', ')
  const shown = (at: string | undefined) => at && moment(at)
  return [
    ['happened', happened && (precise === '' ? happened : `${happened} (${precise})`)],
    ['valid from', shown(validFrom)],
    ['valid to', shown(validTo)],
    ['created', shown(createdAt)],
    ['updated', createdAt === updatedAt ? undefined : shown(updatedAt)],
    ['last used', shown(lastAccessedAt)],
    ['expires', shown(expiresAt)],
  ]
}

function fields(record: MemoryRecord): [string, string | undefined][] {
  const { source } = record
  const from = [source.actor, source.ref, source.from && `from ${source.from.join(', ')}`].filter(Boolean).join(', ')
  return [
    ['kind', record.kind],
    ['key', record.key],
    ['scope', scopeText(record.scope)],
    ['tags', record.tags.length > 0 ? record.tags.join(', ') : undefined],
    ['metadata', Object.keys(record.metadata).length > 0 ? JSON.stringify(record.metadata) : undefined],
    ['data', record.data === undefined ? undefined : JSON.stringify(record.data)],
    ['source', `${source.type}${from === '' ? '' : `, ${from}`} (${record.trust})`],
    ['quote', source.quote],
    ['weight', `importance ${record.importance}, confidence ${record.confidence}, reliability ${record.reliability}`],
    ['used', record.accessCount > 0 ? amount(record.accessCount, 'time') : undefined],
    ['pinned', record.pinned ? 'yes' : undefined],
    ['supersedes', record.supersedes],
    ['superseded by', record.supersededBy],
    ...times(record),
  ]
}

/** All of a memory. */
export function fullRecordLines(record: MemoryRecord): Line[] {
  const { id, version, status, content } = record
  const known = fields(record).flatMap(([name, value]): Cell[][] => (value === undefined ? [] : [[dim(name), value]]))
  return [
    line(bold(id), '  ', `version ${version}`, '  ', status === 'live' ? status : bad(status)),
    ...visibleLines(content).map((text) => wholeLine('  ', text)),
    ...table(known).map((each) => ({ ...each, whole: true })),
  ]
}

export function linkLines(links: readonly Link[]): Line[] {
  return table(links.map((link) => [link.from, dim('→'), link.to, link.type, dim(`weight ${link.weight}`)]))
}
