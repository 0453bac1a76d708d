import {
  type CommitResult,
  type MemoryStore,
  type OperationOptions,
  type Precondition,
  type StoreChange,
  type Transaction,
  versionConflict,
} from '../../../contract/index.ts'
import { MnemeError } from '../../../errors/index.ts'
import { allScopes, type Scope, scopeKey } from '../../../model/index.ts'
import type { Promoter } from './promote.ts'
import { idOfTwin, isStaged, isTwinId, promotedKind, recordOfTwin, stagedKind, twinId, twinPut } from './twin.ts'

type Put = Extract<StoreChange, { readonly type: 'put' }>

/** What is looked up before anything is staged costs a question a record. */
const mostStaged = 100
/** Each round makes records of a transaction that is in the way. */
const mostRounds = 1000

/** The puts of a transaction that does nothing but add memories to one session; null for any other. */
export function plainPuts(
  { changes, requires }: Transaction,
  stages: (scope: Scope) => boolean,
): readonly Put[] | null {
  const puts = changes.filter((change) => change.type === 'put')
  const [first] = puts
  if (first === undefined || puts.length > mostStaged || !stages(first.record.scope)) return null
  if (!changes.every(({ type }) => type === 'put' || type === 'journal')) return null
  // Of another version than none only a record can be.
  if (requires.some((required) => required.type === 'version' && required.is !== null)) return null
  const where = scopeKey(first.record.scope)
  const ids = new Set(puts.map(({ record }) => record.id))
  if (ids.size < puts.length) return null
  const isPlain = ({ record }: Put) => scopeKey(record.scope) === where && (record.version ?? 1) === 1
  return puts.every(isPlain) ? puts : null
}

/** Keys and contents of staged records are held as those of records are. */
function alsoStaged(requires: readonly Precondition[]): Precondition[] {
  return requires.flatMap((required): Precondition[] => {
    if (required.type === 'version') return [required]
    return [required, { ...required, kind: stagedKind }]
  })
}

/** Ids that a transaction asks about or changes. */
function named({ changes, requires }: Transaction): string[] {
  const ids = changes.flatMap((change) => {
    if (change.type === 'put') return [change.record.id]
    if (change.type === 'remove') return [change.id]
    if (change.type === 'link') return [change.link.from, change.link.to]
    return change.type === 'unlink' ? [change.from, change.to] : []
  })
  return [...new Set([...ids, ...requires.flatMap((required) => (required.type === 'version' ? [required.id] : []))])]
}

/** The twin that a refused commit met. */
function twinInTheWay(error: unknown): string | null {
  if (!MnemeError.is(error)) return null
  const { id } = error.details
  return typeof id === 'string' && isTwinId(id) ? id : null
}

export function committer(cold: MemoryStore, promote: Promoter['transaction'], stages: (scope: Scope) => boolean) {
  /** Null when it can't be staged: something of it is or was there. */
  async function stage(
    transaction: Transaction,
    puts: readonly Put[],
    options: OperationOptions | undefined,
  ): Promise<CommitResult | null> {
    const known = await Promise.all(puts.map(({ record }) => cold.revisions(allScopes(), record.id, options)))
    if (known.some((revisions) => revisions.length > 0)) return null
    const none = (id: string) => ({ type: 'version', id, is: null }) as const
    const asked = named(transaction)
    const ids = puts.map(({ record }) => record.id)
    const changes = transaction.changes.map((change) =>
      change.type === 'put' ? twinPut(change, transaction.id) : change,
    )
    const requires = [...asked.map(twinId).map(none), ...alsoStaged(transaction.requires), ...ids.map(none)]
    try {
      const result = await cold.commit({ ...transaction, requires, changes }, options)
      return { ...result, records: result.records.map(recordOfTwin) }
    } catch (error) {
      const id = MnemeError.is(error, 'VERSION_CONFLICT') ? error.details.id : undefined
      const isAsked = transaction.requires.some((required) => required.type === 'version' && required.id === id)
      if (typeof id === 'string' && ids.includes(id) && !isAsked) return null
      throw error
    }
  }

  /** The marks that promotions left, in order, null where there is none: nothing of the ids is staged when they were read. */
  async function marksOf(ids: readonly string[], options: OperationOptions | undefined) {
    if (ids.length === 0) return []
    for (let round = 1; ; round++) {
      const found = await cold.get(allScopes(), ids.map(twinId), { ...options, bare: true })
      const staged = found.filter(isStaged)
      const [first] = staged
      if (first === undefined) return found
      if (round === mostRounds) throw versionConflict(idOfTwin(first.record.id))
      for (const twin of staged) await promote(twin, options)
    }
  }

  /** Goes through to records: what it touches of staged ones is made a record first. What is staged later it meets as another twin. */
  async function direct(transaction: Transaction, options: OperationOptions | undefined): Promise<CommitResult> {
    const ids = named(transaction)
    const marks = await marksOf(ids, options)
    const guards = ids.map((id, i) => {
      return { type: 'version', id: twinId(id), is: marks[i]?.record.version ?? null } as const
    })
    const marked = new Set(ids.filter((_, i) => marks[i]?.record.kind === promotedKind))
    // What goes leaves no twin behind.
    const twinsToGo = transaction.changes.flatMap((change) =>
      change.type === 'remove' && marked.has(change.id) ? [{ ...change, id: twinId(change.id) }] : [],
    )
    return cold.commit(
      {
        ...transaction,
        requires: [...guards, ...alsoStaged(transaction.requires)],
        changes: [...transaction.changes, ...twinsToGo],
      },
      options,
    )
  }

  return async function commit(transaction: Transaction, options: OperationOptions | undefined): Promise<CommitResult> {
    let puts = plainPuts(transaction, stages)
    for (let round = 1; ; round++) {
      try {
        const staged = puts && (await stage(transaction, puts, options))
        return staged ?? (await direct(transaction, options))
      } catch (error) {
        const twin = twinInTheWay(error)
        if (twin === null || round === mostRounds) throw error
        const [stored] = await cold.get(allScopes(), [twin], { ...options, bare: true })
        if (isStaged(stored)) await promote(stored, options)
        puts = null
      }
    }
  }
}
