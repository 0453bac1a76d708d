import { z } from 'zod'
import { InputError } from '../errors/index.ts'
import { type JsonValue, parseJson } from './json.ts'
import { madeOnce } from './made-once.ts'
import { parseWith } from './parse.ts'
import {
  type Kind,
  type Metadata,
  maxContentBytes,
  type RecordDraft,
  type Source,
  type SourceType,
  type Status,
  sourceTypes,
  statuses,
  type Trust,
  trustLevels,
} from './record.ts'
import { parseScope, type Scope } from './scope.ts'
import { type EventTime, granularities, normaliseInstant, parseEventTime } from './time.ts'

/** What a caller may say about a memory that is to be made; all but `content` has a default. */
export interface NewMemory<M extends Metadata = Metadata> {
  readonly id?: string | undefined
  /** @default 'semantic' */
  readonly kind?: Kind | undefined
  readonly content: string
  readonly data?: JsonValue | undefined
  readonly key?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly metadata?: M | undefined
  /** 0..1. @default 0.5 */
  readonly importance?: number | undefined
  /** 0..1. @default 1 */
  readonly confidence?: number | undefined
  /** 0..1. @default 1 */
  readonly reliability?: number | undefined
  /** @default { type: 'user' } */
  readonly source?: Source | undefined
  /** Follows `source.type` by default: user, system and import are trusted, assistant and derived inferred, the rest untrusted. */
  readonly trust?: Trust | undefined
  readonly eventTime?: EventTime | undefined
  readonly validFrom?: string | undefined
  readonly validTo?: string | undefined
  readonly expiresAt?: string | undefined
  readonly pinned?: boolean | undefined
  /** @default 'live' */
  readonly status?: Status | undefined
  /** The content's vector, when the caller has it already; checked against the embedder's dimensions. */
  readonly vector?: readonly number[] | Float32Array | undefined
}

const maxIdLength = 512

/** A name that every store can hold and compare exactly: no NUL, no lone surrogates. */
function isPlainText(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed()
}

/** Ids and keys: names of up to 512 characters. */
export const idSchema = madeOnce(() =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(maxIdLength, `longer than ${maxIdLength} characters`)
    .refine(isPlainText, 'must not contain NUL or lone surrogates'),
)

/** What mneme's own records have their ids under: a memory that took one would pass for them. */
const ownIds = 'mneme:'

/** Ids that a memory may be given (REC-16). */
export const newIdSchema = madeOnce(() =>
  idSchema().refine((id) => !id.startsWith(ownIds), `must not begin with ${ownIds}, which is reserved`),
)

const unitSchema = madeOnce(() =>
  z.number('must be a number from 0 to 1').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1'),
)
const contentSchema = madeOnce(() =>
  z
    .string('must be a string')
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine(
      (text) => text.length * 3 <= maxContentBytes || Buffer.byteLength(text) <= maxContentBytes,
      'larger than 1 MiB',
    ),
)

/** Kind names: any non-empty text of up to 128 characters; `_` in front is mneme's own. */
export const kindSchema = madeOnce(() =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(128, 'longer than 128 characters')
    .refine(isPlainText, 'must not contain NUL or lone surrogates')
    .refine((kind) => !kind.startsWith('_'), 'names that start with "_" are reserved'),
)

const sourceSchema = madeOnce(() =>
  z.strictObject({
    type: z.enum(sourceTypes),
    actor: z.string().min(1).max(1024).optional(),
    ref: z.string().max(8192).optional(),
    quote: z.string().max(65_536).optional(),
    from: z.array(idSchema()).max(10_000).optional(),
  }),
)

/** A time as callers give it; what it says is read later, by `parseInstant`. */
export const timeText = madeOnce(() =>
  z.string('must be a string: an ISO 8601 time with an offset, such as 2026-05-08T13:56:00Z'),
)

const eventTimeSchema = madeOnce(() =>
  z.strictObject({
    start: timeText(),
    end: timeText().optional(),
    zone: z.string().optional(),
    granularity: z.enum(granularities).optional(),
  }),
)

/** Every field of a memory that a caller may set, none required: the shape of a patch, and with `content` of a new memory. */
export const settable = madeOnce(() => ({
  content: contentSchema().optional(),
  kind: kindSchema().optional(),
  data: z.unknown().optional(),
  key: idSchema().optional(),
  tags: z.array(z.string().min(1, 'must not be empty').max(1024)).max(1000).optional(),
  metadata: z.unknown().optional(),
  importance: unitSchema().optional(),
  confidence: unitSchema().optional(),
  reliability: unitSchema().optional(),
  source: sourceSchema().optional(),
  trust: z.enum(trustLevels).optional(),
  eventTime: eventTimeSchema().optional(),
  validFrom: timeText().optional(),
  validTo: timeText().optional(),
  expiresAt: timeText().optional(),
  pinned: z.boolean().optional(),
  status: z.enum(statuses).optional(),
  vector: z.unknown().optional(),
}))

const newMemorySchema = madeOnce(() =>
  z.strictObject({ ...settable(), id: newIdSchema().optional(), content: contentSchema() }),
)

/** A checked new memory: defaults filled in, times normalised, JSON copied. */
export interface ParsedMemory {
  readonly draft: Omit<RecordDraft, 'id'> & { readonly id?: string }
  readonly vector?: Float32Array
}

export function defaultTrust(type: SourceType): Trust {
  if (type === 'user' || type === 'system' || type === 'import') return 'trusted'
  return type === 'assistant' || type === 'derived' ? 'inferred' : 'untrusted'
}

/** A JSON object, copied. @throws InputError INVALID_RECORD naming the path of what is not JSON. */
export function parseMetadata(value: unknown, path: string): Metadata {
  const copy = parseJson(value, path)
  if (typeof copy !== 'object' || copy === null || Array.isArray(copy)) {
    throw new InputError({ code: 'INVALID_RECORD', message: `${path}: must be an object.`, details: { path } })
  }
  return copy as Metadata
}

/** Finite numbers as a float32 vector. @throws InputError INVALID_ARGUMENT */
export function parseVector(value: unknown, path: string): Float32Array {
  const numbers =
    value instanceof Float32Array
      ? new Float32Array(value)
      : Array.isArray(value)
        ? Float32Array.from(value, asNumber)
        : undefined
  // Of the float32 numbers: 1e300 is finite, but not as one of them.
  if (!numbers || numbers.length === 0 || !areFinite(numbers)) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `${path}: must be a non-empty array of finite numbers.`,
      details: { path },
    })
  }
  return numbers
}

/** A loop, because calling a function for each of hundreds of numbers takes longer than storing them. */
function areFinite(numbers: Float32Array): boolean {
  for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i])) return false
  return true
}

const asNumber = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)

/** Without the fields that were given as undefined: those are not there. */
function definedOnly<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T
}

type Settable = z.infer<z.ZodObject<ReturnType<typeof settable>, z.core.$strict>>

const times = ['validFrom', 'validTo', 'expiresAt'] as const

/** The given fields, normalised: only those that were given are there. */
export function normalise(given: Settable, what: string): Partial<RecordDraft> {
  const fields: { -readonly [Field in keyof RecordDraft]?: RecordDraft[Field] } = {}
  if (given.kind !== undefined) fields.kind = given.kind
  if (given.content !== undefined) fields.content = given.content
  if (given.data !== undefined) fields.data = parseJson(given.data, `${what}.data`)
  if (given.key !== undefined) fields.key = given.key
  if (given.tags !== undefined) fields.tags = [...new Set(given.tags)]
  if (given.metadata !== undefined) fields.metadata = parseMetadata(given.metadata, `${what}.metadata`)
  if (given.importance !== undefined) fields.importance = given.importance
  if (given.confidence !== undefined) fields.confidence = given.confidence
  if (given.reliability !== undefined) fields.reliability = given.reliability
  if (given.source !== undefined) fields.source = definedOnly(given.source) as Source
  if (given.trust !== undefined) fields.trust = given.trust
  if (given.eventTime !== undefined)
    fields.eventTime = parseEventTime(given.eventTime as EventTime, `${what}.eventTime`)
  for (const field of times) {
    const value = given[field]
    if (value !== undefined) fields[field] = normaliseInstant(value, `${what}.${field}`)
  }
  if (given.pinned !== undefined) fields.pinned = given.pinned
  if (given.status !== undefined) fields.status = given.status
  return fields
}

export function checkValidity(draft: { readonly validFrom?: string; readonly validTo?: string }, what: string): void {
  if (draft.validFrom !== undefined && draft.validTo !== undefined && draft.validTo < draft.validFrom) {
    throw new InputError({
      code: 'INVALID_TIME',
      message: `${what}.validTo: lies before validFrom.`,
      details: { path: `${what}.validTo` },
    })
  }
}

export interface NewMemoryDefaults {
  readonly scope: Scope
  /** @default 0.5 */
  readonly importance?: number
}

/**
 * Checks what a caller wants remembered and fills in defaults (REC-1 to REC-6).
 * @throws InputError INVALID_RECORD, INVALID_TIME or UNKNOWN_FIELD, before anything is written
 */
export function parseNewMemory(value: unknown, defaults: NewMemoryDefaults, what = 'memory'): ParsedMemory {
  const given = parseWith(newMemorySchema(), value, what, 'INVALID_RECORD')
  const fields = normalise(given, what)
  const source = fields.source ?? { type: 'user' as const }
  const draft = {
    ...(given.id === undefined ? {} : { id: given.id }),
    kind: 'semantic',
    tags: [],
    metadata: {},
    importance: defaults.importance ?? 0.5,
    confidence: 1,
    reliability: 1,
    trust: defaultTrust(source.type),
    pinned: false,
    status: 'live' as const,
    accessCount: 0,
    ...fields,
    source,
    content: given.content,
    scope: parseScope(defaults.scope),
  }
  checkValidity(draft, what)
  return { draft, ...(given.vector === undefined ? {} : { vector: parseVector(given.vector, `${what}.vector`) }) }
}
