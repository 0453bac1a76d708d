import { z } from 'zod'
import { madeOnce } from './made-once.ts'
import { checkValidity, defaultTrust, type NewMemory, normalise, parseVector, settable } from './new-memory.ts'
import { parseWith } from './parse.ts'
import { reading } from './reading.ts'
import type { RecordDraft } from './record.ts'

/** What `update` may change; null removes an optional field. */
export type MemoryPatch = {
  readonly [F in keyof Omit<NewMemory, 'id'>]?: NewMemory[F] | (F extends OptionalField ? null : never)
}

const optionalFields = ['data', 'key', 'eventTime', 'validFrom', 'validTo', 'expiresAt'] as const
type OptionalField = (typeof optionalFields)[number]

const patchSchema = madeOnce(() => z.strictObject(settable()))

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
  const given = parseWith(patchSchema(), rest, what, 'INVALID_RECORD')
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
  const { source, trust, content, data } = patch.set
  // Who says something else is trusted as what they are; more about the source of the same leaves what was said of its trust.
  const isAnother = source?.type !== record.source.type || content !== undefined || data !== undefined
  if (source !== undefined && trust === undefined && isAnother) next.trust = defaultTrust(source.type)
  checkValidity(next as RecordDraft, 'patch')
  return next as D
}
