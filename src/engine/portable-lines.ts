import { z } from 'zod'
import type { PutRecord, StoredVector } from '../contract/index.ts'
import { InputError, MnemeError } from '../errors/index.ts'
import {
  idSchema,
  type Link,
  type MemoryRecord,
  madeOnce,
  newIdSchema,
  normaliseInstant,
  parseMetadata,
  parseScope,
  parseWith,
} from '../model/index.ts'
import { parseRecordFields } from './parse-record.ts'
import { idField } from './verb.ts'

/**
 * The lines of an export, format 1: a head, a line for every record and link, and an end that counts them, so that a
 * file that was cut off is recognised (EXP-2).
 */
export const formatVersion = 1

/** Versions and counts go on from what a file says: with room to count. */
export const maxCount = 2 ** 31

const generatedSchema = madeOnce(() =>
  z.object({
    id: newIdSchema(),
    scope: z.unknown(),
    version: z.int().min(1).max(maxCount),
    createdAt: z.string(),
    updatedAt: z.string(),
    lastAccessedAt: z.string().optional(),
    accessCount: z.int().min(0).max(maxCount),
    supersedes: idSchema().optional(),
    supersededBy: idSchema().optional(),
  }),
)
const generated = madeOnce(() => new Set(Object.keys(generatedSchema().shape)))

const vectorSchema = madeOnce(() => z.strictObject({ space: z.string().min(1), values: z.base64() }))
const lineSchema = madeOnce(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('record'), record: z.looseObject({}), vector: vectorSchema().optional() }),
    z.strictObject({
      type: z.literal('link'),
      link: z.strictObject({
        from: idField(),
        to: idField(),
        type: z.string().min(1).max(256),
        weight: z.number().min(0).max(1),
        metadata: z.unknown(),
      }),
    }),
    z.strictObject({ type: z.literal('end'), records: z.int().min(0), links: z.int().min(0) }),
  ]),
)

export function recordLine(record: MemoryRecord, vector: StoredVector | null): string {
  const bytes = vector && Buffer.from(vector.values.buffer, vector.values.byteOffset, vector.values.byteLength)
  const kept = bytes && { space: vector.space, values: bytes.toString('base64') }
  return JSON.stringify({ type: 'record', record, ...(kept ? { vector: kept } : {}) })
}

export function linkLine(link: Link): string {
  return JSON.stringify({ type: 'link', link })
}

export function endLine(records: number, links: number): string {
  return JSON.stringify({ type: 'end', records, links })
}

/** Whether a piece of an export is a record: a line of its own, or a row of a document. */
export function isRecordPiece(piece: string): boolean {
  return piece.startsWith('{"type":"record"') || /^,?\n {2}\{/.test(piece)
}

export type PortableLine =
  | { readonly type: 'record'; readonly record: PutRecord; readonly vector: StoredVector | null }
  | { readonly type: 'link'; readonly link: Link }
  | { readonly type: 'end'; readonly records: number; readonly links: number }

function parseRecord(given: Readonly<Record<string, unknown>>): PutRecord {
  const own = parseWith(generatedSchema(), given, 'record', 'INVALID_RECORD')
  const settable = Object.fromEntries(Object.entries(given).filter(([field]) => !generated().has(field)))
  const draft = parseRecordFields(settable, parseScope(own.scope, 'record.scope'), 'record')
  const { supersedes, supersededBy, lastAccessedAt } = own
  return {
    ...draft,
    id: own.id,
    version: own.version,
    createdAt: normaliseInstant(own.createdAt, 'record.createdAt'),
    updatedAt: normaliseInstant(own.updatedAt, 'record.updatedAt'),
    accessCount: own.accessCount,
    ...(lastAccessedAt === undefined
      ? {}
      : { lastAccessedAt: normaliseInstant(lastAccessedAt, 'record.lastAccessedAt') }),
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(supersededBy === undefined ? {} : { supersededBy }),
  }
}

function parseStoredVector(given: z.infer<ReturnType<typeof vectorSchema>>): StoredVector {
  const bytes = Buffer.from(given.values, 'base64')
  const values = new Float32Array(bytes.length / 4)
  for (let i = 0; i < values.length; i++) values[i] = bytes.readFloatLE(i * 4)
  if (bytes.length % 4 !== 0 || !values.every(Number.isFinite)) {
    throw new InputError({ code: 'INVALID_RECORD', message: 'vector: is not a list of finite float32 numbers.' })
  }
  return { space: given.space, values }
}

/** One line, checked. @throws InputError naming the field */
export function parseLine(text: string): PortableLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InputError({ code: 'INVALID_RECORD', message: 'the line is not JSON; the file may have been cut off.' })
  }
  const line = parseWith(lineSchema(), value, 'line', 'INVALID_RECORD')
  if (line.type === 'end') return line
  if (line.type === 'link') {
    return { type: 'link', link: { ...line.link, metadata: parseMetadata(line.link.metadata, 'link.metadata') } }
  }
  return {
    type: 'record',
    record: parseRecord(line.record),
    vector: line.vector ? parseStoredVector(line.vector) : null,
  }
}

/** Checks the first line. @throws InputError when the text is no export of ours or of a later format */
export function parseHead(text: string | undefined): void {
  let head: unknown
  try {
    head = JSON.parse(text ?? '')
  } catch {
    head = null
  }
  const format = (head as { mneme?: unknown } | null)?.mneme
  if (format === formatVersion) return
  throw new InputError({
    code: 'INVALID_RECORD',
    message:
      typeof format === 'number'
        ? `row 1: this is format ${format}; this version reads format ${formatVersion}. Import it with a newer version.`
        : 'row 1: this is not an export of mneme. A string is the text itself; for a file give { path }.',
    details: { row: 1 },
  })
}

/** Why a row can't be used, in words that never hold content. */
export function reasonOf(error: unknown): string {
  if (MnemeError.is(error)) return error.message
  throw error
}
