import { z } from 'zod'
import { InputError } from '../errors/index.ts'
import { type JsonObject, type JsonValue, parseJson } from './json.ts'
import { parseWith } from './parse.ts'
import { reading } from './reading.ts'
import { parseScope, type Scope } from './scope.ts'
import { type EventTime, granularities, normaliseInstant, parseEventTime } from './time.ts'

/** The kinds mneme knows; any other name is allowed and follows the policy of `semantic`. Names with `_` in front are reserved. */
export type Kind = 'semantic' | 'episodic' | 'procedural' | 'tool' | 'kv' | 'entity' | (string & {})

export const statuses = ['live', 'superseded', 'invalid', 'archived', 'quarantined'] as const
export type Status = (typeof statuses)[number]

export const sourceTypes = ['user', 'assistant', 'tool', 'web', 'document', 'import', 'system', 'derived'] as const
export type SourceType = (typeof sourceTypes)[number]

export const trustLevels = ['trusted', 'inferred', 'untrusted'] as const
export type Trust = (typeof trustLevels)[number]

export type Metadata = JsonObject

/** Where a memory came from. */
export interface Source {
  readonly type: SourceType
  /** Who said or wrote it, by name. */
  readonly actor?: string
  /** A link or id in the outside world: a URL, a message id, a file. */
  readonly ref?: string
  /** The words it was taken from. */
  readonly quote?: string
  /** Ids of the records it was derived from. */
  readonly from?: readonly string[]
}

/** One memory. Objects handed out are the caller's: changing one never changes the store. */
export interface MemoryRecord<M extends Metadata = Metadata> {
  readonly id: string
  readonly kind: Kind
  /** The text that is searched. */
  readonly content: string
  readonly data?: JsonValue
  /** Stable name, unique per exact scope and kind. */
  readonly key?: string
  readonly scope: Scope
  readonly tags: readonly string[]
  readonly metadata: M
  readonly importance: number
  readonly confidence: number
  readonly reliability: number
  readonly source: Source
  readonly trust: Trust
  readonly eventTime?: EventTime
  readonly validFrom?: string
  readonly validTo?: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly lastAccessedAt?: string
  readonly accessCount: number
  readonly expiresAt?: string
  readonly pinned: boolean
  readonly status: Status
  readonly supersedes?: string
  readonly supersededBy?: string
  /** Starts at 1, plus one per change; access counts don't move it. */
  readonly version: number
}

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

/** Longest content, in bytes of UTF-8. */
export const maxContentBytes = 1_048_576
const maxIdLength = 512

/** A name that every store can hold and compare exactly: no NUL, no lone surrogates. */
function isPlainText(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed()
}

const idSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(maxIdLength, `longer than ${maxIdLength} characters`)
  .refine(isPlainText, 'must not contain NUL or lone surrogates')
const unitSchema = z.number('must be a number from 0 to 1').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1')
const contentSchema = z
  .string('must be a string')
  .refine((text) => text.trim() !== '', 'must not be empty')
  .refine(
    (text) => text.length * 3 <= maxContentBytes || Buffer.byteLength(text) <= maxContentBytes,
    'larger than 1 MiB',
  )

/** Kind names: any non-empty text of up to 128 characters; `_` in front is mneme's own. */
export const kindSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(128, 'longer than 128 characters')
  .refine(isPlainText, 'must not contain NUL or lone surrogates')
  .refine((kind) => !kind.startsWith('_'), 'names that start with "_" are reserved')

const sourceSchema = z.strictObject({
  type: z.enum(sourceTypes),
  actor: z.string().min(1).max(1024).optional(),
  ref: z.string().max(8192).optional(),
  quote: z.string().max(65_536).optional(),
  from: z.array(idSchema).max(10_000).optional(),
})

const eventTimeSchema = z.strictObject({
  start: z.string(),
  end: z.string().optional(),
  zone: z.string().optional(),
  granularity: z.enum(granularities).optional(),
})

/** Every field of a memory that a caller may set, none required: the shape of a patch, and with `content` of a new memory. */
const settable = {
  content: contentSchema.optional(),
  kind: kindSchema.optional(),
  data: z.unknown().optional(),
  key: idSchema.optional(),
  tags: z.array(z.string().min(1, 'must not be empty').max(1024)).max(1000).optional(),
  metadata: z.unknown().optional(),
  importance: unitSchema.optional(),
  confidence: unitSchema.optional(),
  reliability: unitSchema.optional(),
  source: sourceSchema.optional(),
  trust: z.enum(trustLevels).optional(),
  eventTime: eventTimeSchema.optional(),
  validFrom: z.string().optional(),
  validTo: z.string().optional(),
  expiresAt: z.string().optional(),
  pinned: z.boolean().optional(),
  status: z.enum(statuses).optional(),
  vector: z.unknown().optional(),
}

const newMemorySchema = z.strictObject({ ...settable, id: idSchema.optional(), content: contentSchema })

/** The fields of a record that a write makes and the store then stamps with version and times. */
export type RecordDraft = Omit<MemoryRecord, 'version' | 'createdAt' | 'updatedAt'>

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
  const numbers = value instanceof Float32Array || Array.isArray(value) ? Float32Array.from(value, asNumber) : undefined
  // Of the float32 numbers: 1e300 is finite, but not as one of them.
  if (!numbers || numbers.length === 0 || !numbers.every(Number.isFinite)) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `${path}: must be a non-empty array of finite numbers.`,
      details: { path },
    })
  }
  return numbers
}

const asNumber = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)

/** Without the fields that were given as undefined: those are not there. */
function definedOnly<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T
}

type Settable = z.infer<z.ZodObject<typeof settable, z.core.$strict>>

/** The given fields, normalised: only those that were given are there. */
function normalise(given: Settable, what: string): Partial<RecordDraft> {
  const time = (field: 'validFrom' | 'validTo' | 'expiresAt') =>
    given[field] === undefined ? {} : { [field]: normaliseInstant(given[field], `${what}.${field}`) }
  return {
    ...(given.kind === undefined ? {} : { kind: given.kind }),
    ...(given.content === undefined ? {} : { content: given.content }),
    ...(given.data === undefined ? {} : { data: parseJson(given.data, `${what}.data`) }),
    ...(given.key === undefined ? {} : { key: given.key }),
    ...(given.tags === undefined ? {} : { tags: [...new Set(given.tags)] }),
    ...(given.metadata === undefined ? {} : { metadata: parseMetadata(given.metadata, `${what}.metadata`) }),
    ...(given.importance === undefined ? {} : { importance: given.importance }),
    ...(given.confidence === undefined ? {} : { confidence: given.confidence }),
    ...(given.reliability === undefined ? {} : { reliability: given.reliability }),
    ...(given.source === undefined ? {} : { source: definedOnly(given.source) as Source }),
    ...(given.trust === undefined ? {} : { trust: given.trust }),
    ...(given.eventTime === undefined
      ? {}
      : { eventTime: parseEventTime(given.eventTime as EventTime, `${what}.eventTime`) }),
    ...time('validFrom'),
    ...time('validTo'),
    ...time('expiresAt'),
    ...(given.pinned === undefined ? {} : { pinned: given.pinned }),
    ...(given.status === undefined ? {} : { status: given.status }),
  }
}

function checkValidity(draft: { readonly validFrom?: string; readonly validTo?: string }, what: string): void {
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
  const given = parseWith(newMemorySchema, value, what, 'INVALID_RECORD')
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

/** What `update` may change; null removes an optional field. */
export type MemoryPatch = {
  readonly [F in keyof Omit<NewMemory, 'id'>]?: NewMemory[F] | (F extends OptionalField ? null : never)
}

const optionalFields = ['data', 'key', 'eventTime', 'validFrom', 'validTo', 'expiresAt'] as const
type OptionalField = (typeof optionalFields)[number]

const patchSchema = z.strictObject(settable)

export interface ParsedPatch {
  readonly set: Partial<RecordDraft>
  readonly remove: readonly OptionalField[]
  readonly vector?: Float32Array
}

/** Checks a patch. Metadata is not merged here: null values in it still mean "remove". @throws InputError */
export function parsePatch(value: unknown, what = 'patch'): ParsedPatch {
  return reading(what, () => readPatch(value, what))
}

function readPatch(value: unknown, what: string): ParsedPatch {
  const remove = optionalFields.filter((field) => (value as Record<string, unknown> | null)?.[field] === null)
  const rest =
    remove.length === 0
      ? value
      : Object.fromEntries(Object.entries(value as object).filter(([key]) => !remove.includes(key as OptionalField)))
  const given = parseWith(patchSchema, rest, what, 'INVALID_RECORD')
  const set = normalise(given, what)
  return { set, remove, ...(given.vector === undefined ? {} : { vector: parseVector(given.vector, `${what}.vector`) }) }
}

/** Applies a checked patch to a record. Metadata merges per top-level key, null removes one; `replace` replaces it whole. */
export function applyPatch<D extends RecordDraft>(
  record: D,
  patch: ParsedPatch,
  metadataMode: 'merge' | 'replace' = 'merge',
): D {
  const next: Record<string, unknown> = { ...record, ...patch.set }
  for (const field of patch.remove) delete next[field]
  if (patch.set.metadata !== undefined && metadataMode === 'merge') {
    // Only the patch removes: a null that is stored is a value like any other.
    const removed = new Set(Object.entries(patch.set.metadata).flatMap(([key, item]) => (item === null ? [key] : [])))
    next.metadata = Object.fromEntries(
      Object.entries({ ...record.metadata, ...patch.set.metadata }).filter(([key]) => !removed.has(key)),
    )
  }
  if (patch.set.source !== undefined && patch.set.trust === undefined && patch.set.source.type !== record.source.type) {
    next.trust = defaultTrust(patch.set.source.type)
  }
  checkValidity(next as RecordDraft, 'patch')
  return next as D
}

/** True from the millisecond of `expiresAt` on. */
export function isExpired(record: { readonly expiresAt?: string }, now: number): boolean {
  return record.expiresAt !== undefined && Date.parse(record.expiresAt) <= now
}

/** True when the record held in the world at that moment: validFrom <= at < validTo, open ends included. */
export function isValidAt(record: { readonly validFrom?: string; readonly validTo?: string }, at: number): boolean {
  return (
    (record.validFrom === undefined || Date.parse(record.validFrom) <= at) &&
    (record.validTo === undefined || at < Date.parse(record.validTo))
  )
}

/** The instant a record is about: its event time, else when it was made. */
export function momentOf(record: Pick<MemoryRecord, 'eventTime' | 'createdAt'>): number {
  return Date.parse(record.eventTime?.start ?? record.createdAt)
}
