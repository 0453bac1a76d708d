import { createHash } from 'node:crypto'
import type { PutRecord } from '../../contract/index.ts'
import { InputError, MnemeError } from '../../errors/index.ts'
import { entryText, maxName, parseSkill } from '../../kinds/index.ts'
import {
  canonicalJson,
  formatInstant,
  idSchema,
  isJsonObject,
  type JsonValue,
  normaliseInstant,
  parseJson,
  parseMetadata,
  parseNewMemory,
  type Scope,
  scopeKey,
} from '../../model/index.ts'
import { type Row, type Table, tables } from './apollia-document.ts'
import { wordingKey, wordingOf } from './wording.ts'
import { byTime, plainRow } from './write-apollia.ts'

/** What a row says, before it has the id that it gets here. */
type Draft = Omit<PutRecord, 'id'> & { readonly createdAt: string; readonly updatedAt: string }

/** A row of a snapshot, read and checked by itself. */
export interface ApolliaRead {
  readonly row: number
  readonly table: Table
  readonly id: string
  readonly given: Row
  /** Null: the row can't be used, `reason` says why. */
  readonly draft: Draft | null
  readonly reason?: string
  /** Of an empty event: nothing is lost without it. */
  readonly empty?: boolean
  /** The namespace of the snapshot, where the row does not name it. */
  readonly document?: string
  /** Its place among the rows of its kind, where that does not follow from its times. */
  readonly place?: number
}

interface Reading {
  readonly what: string
  readonly scope: Scope
  readonly now: number
}

function invalid(path: string, what: string): InputError {
  return new InputError({ code: 'INVALID_RECORD', message: `${path}: ${what}`, details: { path } })
}

function optionalText(row: Row, field: string, what: string): string | undefined {
  const value = row[field] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw invalid(`${what}.${field}`, 'must be a text or null.')
}

function optionalNumber(row: Row, field: string, what: string): number | undefined {
  const value = row[field] ?? undefined
  if (value === undefined || typeof value === 'number') return value
  throw invalid(`${what}.${field}`, 'must be a number.')
}

function requiredText(row: Row, field: string, what: string): string {
  const value = optionalText(row, field, what)
  if (value === undefined) throw invalid(`${what}.${field}`, 'is missing.')
  return value
}

function optionalTime(row: Row, field: string, what: string): string | undefined {
  const value = optionalText(row, field, what)
  return value === undefined ? undefined : normaliseInstant(value, `${what}.${field}`)
}

/** A text that is JSON is what it says; anything else is what it is (a wrongly encoded value loses nothing). */
function decoded(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as JsonValue
  } catch {
    return value
  }
}

/** Fields without a value are not there. */
function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
}

function draftOf(memory: object, row: Row, { what, scope, now }: Reading): Draft {
  const createdAt = optionalTime(row, 'created_at', what) ?? formatInstant(now)
  const expiresAt = optionalTime(row, 'expires_at', what)
  const { draft } = parseNewMemory(
    { ...memory, ...(expiresAt === undefined ? {} : { expiresAt }) } as never,
    { scope },
    what,
  )
  return {
    ...draft,
    createdAt,
    updatedAt: optionalTime(row, 'updated_at', what) ?? createdAt,
    accessCount: 0,
  } as Draft
}

function readEpisode(row: Row, reading: Reading): Draft {
  const { what } = reading
  const metadata = decoded(row.metadata ?? {})
  const own = isJsonObject(metadata) ? metadata : {}
  const task = optionalText(row, 'task_id', what)
  const memory = {
    kind: 'episodic',
    content: requiredText(row, 'content', what),
    importance: optionalNumber(row, 'importance', what),
    metadata: parseMetadata({ ...own, ...(task === undefined ? {} : { task }) }, `${what}.metadata`),
    source: { type: 'import', ...given({ actor: optionalText(row, 'agent_id', what) }) },
  }
  return draftOf(given(memory), row, reading)
}

function readFact(row: Row, reading: Reading): Draft {
  const { what } = reading
  const key = requiredText(row, 'key', what)
  if (row.value === undefined) throw invalid(`${what}.value`, 'is missing.')
  const data = parseJson(decoded(row.value), `${what}.value`)
  const memory = {
    kind: 'semantic',
    confidence: optionalNumber(row, 'confidence', what),
    source: { type: 'import', ...given({ ref: optionalText(row, 'source', what) }) },
  }
  return draftOf({ ...given(memory), key, data, content: entryText(key, data) }, row, reading)
}

/** Steps as they can be kept: texts that say something. */
function stepsOf(row: Row, what: string): string[] {
  const steps = parseJson(decoded(row.steps ?? []), `${what}.steps`)
  if (!Array.isArray(steps)) throw invalid(`${what}.steps`, 'must be a list of texts.')
  return steps
    .map((step) => (typeof step === 'string' ? step : JSON.stringify(step)))
    .filter((step) => step.trim() !== '')
}

function readProcedure(row: Row, reading: Reading): Draft {
  const { what } = reading
  const trigger = requiredText(row, 'trigger', what)
  const name = trigger.length > maxName ? nameOf(reading, row) : trigger
  const skill = parseSkill(
    { name, trigger, steps: stepsOf(row, what), successes: optionalNumber(row, 'success_count', what) ?? 0 },
    what,
  )
  const memory = { kind: 'procedural', key: name, content: trigger, data: skill, source: { type: 'import' } }
  const lastUsed = optionalTime(row, 'last_used_at', what)
  return { ...draftOf(memory, row, reading), ...(lastUsed === undefined ? {} : { lastAccessedAt: lastUsed }) }
}

/** The name of a procedure whose trigger can't be one. */
function nameOf({ scope }: Reading, row: Row): string {
  return `procedure ${stableId(scope, canonicalJson(row))}`
}

/** Another name for a procedure whose trigger is the name of another one. */
function renamed(draft: Draft, row: Row, reading: Reading): Draft {
  const name = nameOf(reading, row)
  return { ...draft, key: name, data: { ...(draft.data as Row), name } }
}

const readers: Readonly<Record<Table, (row: Row, reading: Reading) => Draft>> = {
  episodic: readEpisode,
  semantic: readFact,
  procedural: readProcedure,
}

/** An id that is the same whenever the same is imported into the same scope. */
export function stableId(scope: Scope, text: string): string {
  const hex = createHash('sha256')
    .update(`${scopeKey(scope)}\n${text}`)
    .digest('hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function isUsableId(id: JsonValue | undefined): id is string {
  return idSchema().safeParse(id).success
}

/** The document with its arrays. @throws InputError INVALID_RECORD for what is no snapshot of this format */
function tablesOf(text: string): { readonly namespace: unknown } & Readonly<Record<Table, readonly JsonValue[]>> {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    throw invalid('source', 'is not JSON; the snapshot may have been cut off. Nothing was imported.')
  }
  const document: Row = isJsonObject(value) ? value : {}
  const version = document.format_version ?? document.schema_version
  if (version !== 1) {
    throw invalid(
      'source',
      typeof version === 'number'
        ? `is a snapshot of format_version ${version}; this version reads format_version 1. Nothing was imported.`
        : 'is no snapshot: it has no format_version. Nothing was imported.',
    )
  }
  const table = (name: Table): readonly JsonValue[] => {
    const rows = document[name] ?? []
    if (Array.isArray(rows)) return rows
    throw invalid(name, 'must be a list of rows. Nothing was imported.')
  }
  const { namespace } = document
  return {
    namespace,
    episodic: table('episodic'),
    semantic: table('semantic'),
    procedural: table('procedural'),
  }
}

/** A row as it stands in the snapshot. */
export interface RawRow {
  /** 1 for the first, counted through the episodes, the facts, then the procedures. */
  readonly row: number
  readonly table: Table
  /** Its place in the table. */
  readonly index: number
  readonly value: JsonValue
  /** The namespace that the snapshot names. */
  readonly document?: string
}

/** The rows of a snapshot, unread. @throws InputError INVALID_RECORD for what is no snapshot of this format */
export function rowsOfSnapshot(text: string): readonly RawRow[] {
  const rowsOf = tablesOf(text)
  const { namespace } = rowsOf
  const named = typeof namespace === 'string' ? { document: namespace } : {}
  const rows = tables.flatMap((table) => rowsOf[table].map((value, index) => ({ table, index, value, ...named })))
  return rows.map((raw, i) => ({ ...raw, row: i + 1 }))
}

/** Reads the rows of one snapshot in their order, each checked by itself. */
export function snapshotReader(scope: Scope, now: number): (raw: RawRow) => ApolliaRead {
  const repeats = new Map<string, number>()
  const names = new Set<string>()

  /** Rows without an id of use get one from what they say, and from how often it was said before. */
  function idOf(table: Table, value: JsonValue): string {
    if (isJsonObject(value) && isUsableId(value.id)) return value.id
    const said = `${table}\n${canonicalJson(value)}`
    const repeat = repeats.get(said) ?? 0
    repeats.set(said, repeat + 1)
    return stableId(scope, `${said}\n${repeat}`)
  }

  return ({ row, table, index, value, document }) => {
    const what = `${table}[${index}]`
    const given: Row = isJsonObject(value) ? value : {}
    const apart = document !== undefined && given.namespace !== document
    const base = { row, table, id: idOf(table, value), given, ...(apart ? { document } : {}) }
    if (!isJsonObject(value)) return { ...base, draft: null, reason: `${what}: must be an object.` }
    if (table === 'episodic' && typeof given.content === 'string' && given.content.trim() === '')
      return { ...base, draft: null, empty: true, reason: `${what}.content: says nothing.` }
    return { ...base, ...readRow(table, given, { what, scope, now }, names) }
  }
}

function readRow(table: Table, row: Row, reading: Reading, names: Set<string>): Pick<ApolliaRead, 'draft' | 'reason'> {
  try {
    const draft = readers[table](row, reading)
    if (table !== 'procedural') return { draft }
    const fresh = names.has(draft.key as string) ? renamed(draft, row, reading) : draft
    names.add(fresh.key as string)
    return { draft: fresh }
  } catch (error) {
    if (MnemeError.is(error)) return { draft: null, reason: error.message }
    throw error
  }
}

/** The rows of a snapshot; those of a table that don't lie in the order of their times remember their places. */
export function placed(reads: readonly ApolliaRead[]): readonly ApolliaRead[] {
  return tables.flatMap((table) => {
    const mine = reads.filter((read) => read.table === table)
    const timed = mine.flatMap(({ draft, id }) => (draft ? [{ ...draft, id }] : []))
    const sorted = timed.every((one, i) => i === 0 || byTime(timed[i - 1] as never, one as never) <= 0)
    return sorted ? mine : mine.map((read, place) => ({ ...read, place }))
  })
}

/** The record of a row under an id; what the row said in other words is kept with it. */
export function recordOfRow({ draft, given, ...read }: ApolliaRead & { readonly draft: Draft }, id: string) {
  const record = { ...draft, id }
  const wording = wordingOf(given, plainRow(record), read)
  if (wording === null) return record
  return { ...record, metadata: parseMetadata({ ...record.metadata, [wordingKey]: wording }, 'metadata') }
}
