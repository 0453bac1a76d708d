import { createHash } from 'node:crypto'
import type { LoggedTransaction } from '../contract/index.ts'
import { ConflictError, InputError } from '../errors/index.ts'
import { canonicalJson, exactly, hasMoreParts, type MemoryRecord, type Scope } from '../model/index.ts'
import type { Core } from './core.ts'

/** Of an input with an idempotency key: what has more is a trap or a mistake. */
const maxInputParts = 5_000_000

/** A record of the answer: of this write, or one that was there already (then with its version). */
export interface AnswerRef {
  readonly id: string
  readonly scope: Scope
  readonly version?: number
}

/** Digest of a call's input, for idempotency keys. @throws InputError INVALID_ARGUMENT for input that JSON can't write */
export function inputDigest(verb: string, input: Readonly<Record<string, unknown>>): string {
  // The key belongs to a scope already, and a call with dryRun: false is the call without.
  const { signal: _signal, idempotencyKey: _key, scope: _scope, dryRun: _dryRun, ...rest } = input
  return createHash('sha256').update(jsonOf(verb, rest)).digest('base64url')
}

function jsonOf(verb: string, input: object): string {
  try {
    if (hasMoreParts(input, maxInputParts)) throw new RangeError('too many parts')
    return canonicalJson([verb, input])
  } catch (cause) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `${verb}: the input can't be written as JSON, so it can't be told from another one. Give plain JSON.`,
      cause,
    })
  }
}

/** The earlier transaction of an idempotency key, null for a first call. @throws ConflictError IDEMPOTENCY_CONFLICT */
export async function earlierCall(
  core: Core,
  key: { readonly scope: Scope; readonly key: string; readonly digest: string },
  signal?: AbortSignal,
): Promise<LoggedTransaction | null> {
  const used = await core.store.usedKey(key.scope, key.key, { now: core.clock() }, { signal })
  if (!used) return null
  if (used.digest !== key.digest) {
    throw new ConflictError({
      code: 'IDEMPOTENCY_CONFLICT',
      message: 'This idempotency key was used for another input. Use a new key for a new call.',
    })
  }
  return core.store.transaction(used.tx, { signal })
}

/**
 * The records of an earlier answer as they were then: those with a version were there already, the others are the
 * transaction's own. @throws ConflictError CONFLICT when one was deleted since
 */
export async function recordsThen(core: Core, refs: readonly AnswerRef[], tx: string): Promise<MemoryRecord[]> {
  return Promise.all(
    refs.map(async ({ id, version, scope }) => {
      const revisions = await core.store.revisions(exactly(scope), id)
      const revision = revisions.find((one) => (version === undefined ? one.tx === tx : one.version === version))
      if (!revision?.record) {
        throw new ConflictError({
          code: 'CONFLICT',
          message: `The first answer to this idempotency key named record ${id}, which was deleted since.`,
          details: { id },
        })
      }
      return revision.record
    }),
  )
}
