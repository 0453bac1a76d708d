import type { PutRecord } from '../../contract/index.ts'
import { keptValue, skillKind } from '../../kinds/index.ts'
import type { JsonValue, Kind, Scope } from '../../model/index.ts'
import { type ApolliaDocument, type Row, type Table, tables } from './apollia-document.ts'
import { textOfSource } from './source-text.ts'
import { documentOf, placeOf, reworded, withoutWording } from './wording.ts'

/** The kinds that a snapshot has a place for. */
export const apolliaKinds: readonly Kind[] = tables

/** What a row is written from. */
export type Written = Pick<
  PutRecord,
  | 'id'
  | 'kind'
  | 'content'
  | 'data'
  | 'key'
  | 'scope'
  | 'metadata'
  | 'importance'
  | 'confidence'
  | 'source'
  | 'eventTime'
  | 'expiresAt'
  | 'lastAccessedAt'
> & { readonly createdAt: string; readonly updatedAt: string }

/** A scope as the one name that a snapshot has for it. */
function namespaceOf({ appId, userId, agentId, sessionId, namespace = [] }: Scope): string {
  return [appId, userId, agentId, sessionId, ...namespace].filter((part) => part !== undefined).join(':')
}

/** Whole seconds are written without a fraction. */
function timeText(time: string): string {
  return time.replace('.000Z', 'Z')
}

function optionalTime(time: string | undefined): string | null {
  return time === undefined ? null : timeText(time)
}

function episodeRow(record: Written): Row {
  const { task, ...rest } = withoutWording(record.metadata)
  const named = typeof task === 'string'
  return {
    agent_id: record.source.actor ?? record.scope.agentId ?? null,
    task_id: named ? task : null,
    content: record.content,
    importance: record.importance,
    created_at: timeText(record.eventTime?.start ?? record.createdAt),
    expires_at: optionalTime(record.expiresAt),
    metadata: JSON.stringify(named || task === undefined ? rest : { ...rest, task }),
  }
}

function factRow(record: Written): Row {
  return {
    // One that was never given a name goes by its id.
    key: record.key ?? record.id,
    value: JSON.stringify(keptValue(record)),
    source: textOfSource(record.source),
    confidence: record.confidence,
    created_at: timeText(record.createdAt),
    updated_at: timeText(record.updatedAt),
    expires_at: optionalTime(record.expiresAt),
  }
}

function procedureRow(record: Written): Row {
  // One without a payload, or with a damaged one, is a trigger without steps.
  const skill = skillKind.of(record)
  return {
    trigger: skill?.trigger ?? record.content,
    steps: (skill?.steps ?? []).map((step) => (typeof step === 'string' ? step : JSON.stringify(step))),
    success_count: skill?.successes ?? 0,
    last_used_at: timeText(record.lastAccessedAt ?? record.createdAt),
    created_at: timeText(record.createdAt),
  }
}

const rowOfKind: Readonly<Record<Table, (record: Written) => Row>> = {
  episodic: episodeRow,
  semantic: factRow,
  procedural: procedureRow,
}

/** A record as a row, in the words of this version. */
export function plainRow(record: Written): Row {
  return {
    id: record.id,
    namespace: namespaceOf(record.scope),
    ...rowOfKind[record.kind as Table](record),
  }
}

/** What an order of rows goes by. */
export interface Timed {
  readonly id: string
  readonly createdAt: string
}

/** The order of rows without a place: by when they were made, then by id. */
export function byTime(a: Timed, b: Timed): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

/** A record as the row that is written. */
interface Prepared extends Timed {
  readonly row: Row
  readonly place: number
  readonly namespace: JsonValue | undefined
}

/** As it was given, where nothing of it has changed since; its id is that of the row, which another scope may have too. */
function prepared(record: Written): Prepared {
  const { metadata, createdAt } = record
  const row = reworded(plainRow(record), metadata)
  const id = typeof row.id === 'string' && row.id !== '' ? row.id : record.id
  return { row, id, createdAt, place: placeOf(metadata), namespace: documentOf(metadata) ?? row.namespace }
}

/** By their place in the snapshot that they came from, else by time. */
function inOrder(a: Prepared, b: Prepared): number {
  const places = a.place - b.place
  return places < 0 || places > 0 ? places : byTime(a, b)
}

/** The name that all rows have who have one: that of the snapshot they came from, while nothing was added to them. */
function commonNamespace(named: readonly (JsonValue | undefined)[], otherwise: string): string {
  const names = new Set(named.filter((name) => typeof name === 'string'))
  const [only] = names
  return names.size === 1 && only !== undefined ? only : otherwise
}

/**
 * Records of one scope as the pieces of a snapshot: a head, a piece for every row, an end. Rows that were imported and not
 * changed since say what they said (SNP-1).
 */
export function* apolliaPieces(records: readonly Written[], scope: Scope, exportedAt: string): Generator<string> {
  const rows = tables.map((table) =>
    records
      .filter(({ kind }) => kind === table)
      .map(prepared)
      .sort(inOrder),
  )
  const named = rows.flat().map(({ namespace }) => namespace)
  const head: Pick<ApolliaDocument, 'format_version' | 'namespace' | 'exported_at'> = {
    format_version: 1,
    namespace: commonNamespace(named, namespaceOf(scope)),
    exported_at: timeText(exportedAt),
  }
  yield JSON.stringify(head).slice(0, -1)
  for (const [i, table] of tables.entries()) {
    yield `,\n"${table}":[`
    for (const [place, { row }] of (rows[i] ?? []).entries())
      yield `${place === 0 ? '' : ','}\n  ${JSON.stringify(row)}`
    yield ']'
  }
  yield '}\n'
}
