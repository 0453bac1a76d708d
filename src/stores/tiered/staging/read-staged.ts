import {
  type Claim,
  comparePositions,
  isReservedKind,
  type ListPosition,
  type ListQuery,
  type LoggedChange,
  type LoggedTransaction,
  type MemoryStore,
  matchesQuery,
  type OperationOptions,
  orderValue,
  type Page,
  type ReadOptions,
  type StatsQuery,
  type StoreCount,
  type StoredRecord,
  type StoreStats,
} from '../../../contract/index.ts'
import { exactly, isExpired, type Revision, type ScopeFilter, scopeKey } from '../../../model/index.ts'
import { stagedIn } from './promote.ts'
import {
  idOfTwin,
  isStaged,
  isTwinId,
  promotedKind,
  promotionOf,
  recordOfTwin,
  stagedKind,
  storedOfTwin,
  twinId,
} from './twin.ts'

/** How often counting begins anew when something was written meanwhile. */
const mostCounts = 5

function placeOf({ record }: StoredRecord, order: ListQuery['order']): ListPosition {
  return { value: orderValue(record, order), id: record.id }
}

/** The staged records that a list shows, as many as a page holds. */
async function stagedPage(
  cold: MemoryStore,
  scope: ScopeFilter,
  query: ListQuery,
  options: ReadOptions | undefined,
): Promise<Page<StoredRecord>> {
  const { hash: _hash, ...judged } = query
  // What a twin has of its own is judged on the record it stands for.
  const { filter: _filter, lifetimes: _lifetimes, withoutVector: _space, ...alike } = query
  const items: StoredRecord[] = []
  let after = query.after && { ...query.after, id: twinId(query.after.id) }
  for (;;) {
    const page = await cold.list(scope, { ...alike, kinds: [stagedKind], after }, options)
    for (const twin of page.items) {
      const stored = storedOfTwin(twin)
      if (matchesQuery(judged, stored)) items.push(stored)
    }
    const last = page.items.at(-1)
    if (!page.more || last === undefined || items.length >= query.limit) return { items, more: page.more }
    after = placeOf(last, query.order)
  }
}

/** Staged ones first: what is made a record meanwhile is then seen twice, not missed. */
export async function listStaged(
  cold: MemoryStore,
  scope: ScopeFilter,
  query: ListQuery,
  options: ReadOptions | undefined,
): Promise<Page<StoredRecord>> {
  // An analysis tells what lacks a vector.
  const whole = query.withoutVector === undefined ? options : { ...options, bare: false }
  const staged = await stagedPage(cold, scope, query, whole)
  const made = await cold.list(scope, query, options)
  const items = made.items.filter(({ record }) => !isOwnKind(record.kind))
  if (staged.items.length === 0) return { items, more: made.more || staged.more }
  const known = new Set(items.map(({ record }) => record.id))
  const all = [...items, ...staged.items.filter(({ record }) => !known.has(record.id))]
  const { order, limit } = query
  all.sort((a, b) => comparePositions(placeOf(a, order), placeOf(b, order), order))
  return { items: all.slice(0, limit), more: made.more || staged.more || all.length > limit }
}

/** Kinds that only this store writes: nobody is shown them. */
export function isOwnKind(kind: string): boolean {
  return kind === stagedKind || kind === promotedKind
}

export async function getStaged(
  cold: MemoryStore,
  scope: ScopeFilter,
  ids: readonly string[],
  options: ReadOptions | undefined,
): Promise<(StoredRecord | null)[]> {
  // One question for both, so that neither of them can be missed.
  const found = await cold.get(scope, [...ids, ...ids.map(twinId)], options)
  return ids.map((id, i) => {
    const record = found[i]
    if (record && !isTwinId(id)) return record
    const twin = found[ids.length + i]
    return isStaged(twin) ? storedOfTwin(twin) : null
  })
}

/** The oldest of those that hold a claim among staged records. */
async function stagedHolder(
  cold: MemoryStore,
  { type, scope, kind, value }: Claim,
  options: OperationOptions | undefined,
): Promise<StoredRecord | null> {
  const claim = type === 'key' ? { key: value } : { hash: value }
  const query: ListQuery = { ...claim, kinds: [kind], order: 'oldest', limit: 1 }
  return (await stagedPage(cold, exactly(scope), query, options)).items[0] ?? null
}

export async function holdersStaged(
  cold: MemoryStore,
  claims: readonly Claim[],
  options: OperationOptions | undefined,
): Promise<readonly (StoredRecord | null)[]> {
  const twins = claims.map((claim) => ({ ...claim, kind: stagedKind }))
  const found = await cold.holders([...claims, ...twins], options)
  return Promise.all(
    claims.map(async (claim, i) => {
      const made = found[i] ?? null
      if (!found[claims.length + i]) return made
      const staged = await stagedHolder(cold, claim, options)
      if (staged === null || made === null) return staged ?? made
      return comparePositions(placeOf(staged, 'oldest'), placeOf(made, 'oldest'), 'oldest') < 0 ? staged : made
    }),
  )
}

/** A staged record's first version is that of its twin, whenever it was made a record. */
export async function revisionsStaged(
  cold: MemoryStore,
  scope: ScopeFilter,
  id: string,
  options: OperationOptions | undefined,
): Promise<Revision[]> {
  const [twin] = (await cold.revisions(scope, twinId(id), options)).filter(({ op }) => op !== 'erase')
  const made = await cold.revisions(scope, id, options)
  if (twin === undefined) return [...made]
  const first: Revision = { ...twin, id, record: twin.record && recordOfTwin(twin.record) }
  return [first, ...made.filter(({ version, tx }) => version !== first.version || tx !== promotionOf(first.tx))]
}

type Put = Extract<LoggedChange, { readonly type: 'put' }>

/** What became of staged records when they were made: what they were, should they be removed since, and the vectors that came after. */
async function promoted(
  cold: MemoryStore,
  { id, changes }: LoggedTransaction,
  options: OperationOptions | undefined,
): Promise<ReadonlyMap<string, Put>> {
  const isAsked = changes.some((each) => each.type === 'put' && each.kind === stagedKind)
  const promotion = isAsked ? await cold.transaction(promotionOf(id), options) : null
  return new Map(promotion?.changes.flatMap((each) => (each.type === 'put' ? [[each.id, each]] : [])))
}

/** A transaction as if what it staged had been committed. What a promotion made is shown where it was staged, and there alone. */
export async function showTransaction(
  cold: MemoryStore,
  transaction: LoggedTransaction,
  options: OperationOptions | undefined,
): Promise<LoggedTransaction> {
  const made = await promoted(cold, transaction, options)
  const told = new Set<string>()
  for (const change of transaction.changes)
    if (change.type === 'put' && change.kind === promotedKind) told.add(idOfTwin(change.id))
  const changes = transaction.changes.flatMap((change): LoggedChange[] => {
    if (change.type !== 'put' && change.type !== 'remove') return [change]
    if (change.type === 'put' && told.has(change.id)) return []
    if (!isOwnKind(change.kind)) return [change]
    if (change.type === 'remove' || change.kind === promotedKind) return []
    const id = idOfTwin(change.id)
    const later = made.get(id)
    const own = change.stored && storedOfTwin(change.stored)
    // A log tells no uses, and those until then are told by what was made.
    const stored = own && { ...own, vector: later?.stored?.vector ?? own.vector }
    const kind = stored?.record.kind ?? later?.kind
    return kind === undefined ? [] : [{ ...change, id, kind, stored }]
  })
  return { ...transaction, changes }
}

export async function statsStaged(
  cold: MemoryStore,
  scope: ScopeFilter,
  query: StatsQuery,
  options: ReadOptions | undefined,
): Promise<StoreStats> {
  for (let round = 1; ; round++) {
    const before = options?.asOf === undefined ? await cold.head(options) : null
    const groups = new Map<string, { -readonly [Field in keyof StoreCount]: StoreCount[Field] }>()
    const count = (scope: StoreCount['scope'], kind: string, status: StoreCount['status'], more: number) => {
      const name = JSON.stringify([scopeKey(scope), kind, status])
      const group = groups.get(name) ?? { scope, kind, status, count: 0 }
      group.count += more
      groups.set(name, group)
    }
    let isAnyStaged = false
    for await (const twin of stagedIn(cold, scope, options)) {
      isAnyStaged = true
      const record = recordOfTwin(twin.record)
      if (isReservedKind(record.kind) || isExpired(record, query.now, query.lifetimes)) continue
      count(record.scope, record.kind, record.status, 1)
    }
    const stats = await cold.stats(scope, query, options)
    for (const each of stats.counts) count(each.scope, each.kind, each.status, each.count)
    const counted = { ...stats, counts: [...groups.values()] }
    // What was made a record in between would be counted twice.
    if (before === null || !isAnyStaged || round === mostCounts) return counted
    if ((await cold.head(options)) === before) return counted
  }
}
