import { createHash, randomUUID } from 'node:crypto'
import {
  type EraseCounts,
  erasedId,
  type JournalEntry,
  type MemoryStore,
  namesAny,
  type OperationOptions,
  type StoreChange,
  type Transaction,
  withoutErased,
  withoutReferences,
} from '../../../contract/index.ts'
import { MnemeError } from '../../../errors/index.ts'
import { allScopes, type JsonValue, type MemoryRecord, type Scope, type ScopeFilter } from '../../../model/index.ts'
import { everyRecord } from '../every-record.ts'
import { ownPut } from '../own-put.ts'
import { packed, putsOf, unpacked } from './entry.ts'

/**
 * Transactions that waited and that the cold store refused for good. Each is kept there as a record of this kind, in the scope of its
 * memories and with the whole entry as its content, until somebody erases it: listed where the kind is asked for, and nowhere else.
 */
export const asideKind = '_aside'

const prefix = 'mneme:aside:'
/** By their key they are found without a look at other records. */
const key = 'mneme:aside'

export interface SetAside {
  /** @throws what the store throws when it does not even take the entry so */
  keep(entry: string, refusal: unknown): Promise<void>
  count(options?: OperationOptions): Promise<number>
  /** As the store erases, and what was set aside of the same records with it: an entry counts as a record. */
  erase: MemoryStore['erase']
}

interface Label {
  readonly id: string
  readonly at: number
  readonly scope: Scope
}

/** Of text that nobody understands nothing is known but the text. */
function labelOf(entry: string): Label {
  try {
    const transaction = unpacked(entry)
    const scope = putsOf(transaction)[0]?.record.scope
    if (scope && transaction.id && Number.isFinite(transaction.at))
      return { id: prefix + transaction.id, at: transaction.at, scope }
  } catch {
    // No transaction: it is kept all the same, as nothing that was taken in may be lost.
  }
  const digest = createHash('sha256').update(entry).digest('base64url')
  return { id: prefix + digest, at: Date.now(), scope: { appId: 'mneme' } }
}

/** What an erase leaves of a transaction; null when nothing does. */
function cut(transaction: Transaction, ids: ReadonlySet<string>): Transaction | null {
  const salt = randomUUID()
  const hashes = new Map([...ids].map((id) => [id, erasedId(salt, id)]))
  const changes = transaction.changes.flatMap((change): StoreChange[] => {
    if (change.type === 'journal') {
      const line = withoutErased(change.line as JournalEntry, ids)
      return line === null ? [] : [{ ...change, line }]
    }
    if (change.type !== 'put') return [change]
    if (ids.has(change.record.id)) return []
    return [{ ...change, record: withoutReferences(change.record as MemoryRecord, hashes) }]
  })
  const { id, at, verb } = transaction
  const left = { id, at, verb, requires: [], changes }
  return putsOf(left).length === 0 ? null : left
}

/** The entry without what is erased: itself when it names nothing of it, null when nothing is left. */
function remainder(entry: string, ids: ReadonlySet<string>): string | null {
  try {
    if (!namesAny(JSON.parse(entry) as JsonValue, ids)) return entry
    const left = cut(unpacked(entry), ids)
    return left && packed(left)
  } catch {
    return [...ids].some((id) => entry.includes(id)) ? null : entry
  }
}

/**
 * @param cold the cold store itself
 * @param erase how the store over it erases
 */
export function setAside(cold: MemoryStore, erase: MemoryStore['erase']): SetAside {
  async function put({ id, at, scope }: Label, content: string, code: string): Promise<void> {
    const record = ownPut('add', { id, kind: asideKind, key, content, scope, data: { code }, status: 'archived' })
    try {
      await cold.commit({
        id: randomUUID(),
        at,
        verb: 'set-aside',
        requires: [{ type: 'version', id, is: null }],
        changes: [record],
      })
    } catch (error) {
      // Another process was first.
      if (!MnemeError.is(error, 'VERSION_CONFLICT')) throw error
    }
  }

  const allIn = (scope: ScopeFilter, options: OperationOptions | undefined) =>
    everyRecord(cold, scope, { kinds: [asideKind], key, limit: 100 }, { signal: options?.signal })

  return {
    keep: (entry, refusal) => put(labelOf(entry), entry, MnemeError.is(refusal) ? refusal.code : 'BACKEND_FAILED'),

    async count(options) {
      let count = 0
      for await (const _each of allIn(allScopes(), options)) count++
      return count
    },

    async erase(scope, ids, options): Promise<EraseCounts> {
      const wanted = new Set(ids)
      const named: string[] = []
      for await (const { record } of allIn(scope, options)) {
        const left = remainder(record.content, wanted)
        if (left === record.content || wanted.has(record.id)) continue
        // Before the rest goes, so that it is not lost where this ends half-way.
        if (left !== null) {
          const code = (record.data as { readonly code: string }).code
          await put({ id: `${record.id}~`, at: Date.parse(record.createdAt), scope: record.scope }, left, code)
        }
        named.push(record.id)
      }
      return erase(scope, [...ids, ...named], options)
    },
  }
}
