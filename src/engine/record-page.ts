import { z } from 'zod'
import { type AsOf, type ListPosition, type ListQuery, orderValue } from '../contract/index.ts'
import { type MemoryRecord, madeOnce, type ScopeFilter } from '../model/index.ts'
import type { Core } from './core.ts'
import { listPage } from './listing.ts'
import { pageState } from './page-state.ts'
import { decodeToken, encodeToken } from './tokens.ts'

const placeSchema = madeOnce(() =>
  z.strictObject({
    after: z.strictObject({ value: z.number(), id: z.string() }),
    position: z.string().optional(),
  }),
)

export interface PageRequest {
  readonly query: Omit<ListQuery, 'after' | 'now' | 'lifetimes'>
  /** Of the arguments that a cursor belongs to. */
  readonly digest: string
  readonly cursor?: string | undefined
  /** A state that was asked for by name. */
  readonly asOf?: AsOf | undefined
  readonly signal?: AbortSignal | undefined
  /** Makes a judge of what no query can say, for the state that is read. */
  readonly judge?: (state: PageState) => Promise<Judge>
}

export type Judge = (record: MemoryRecord) => boolean

export interface PageState {
  readonly asOf: AsOf | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

export interface RecordPage {
  readonly records: readonly MemoryRecord[]
  readonly nextCursor?: string
}

/** One page of a list. Pages after the first show the state that the first one saw: nothing is skipped or shown twice (RED-5). */
export async function recordPage(core: Core, scope: ScopeFilter, request: PageRequest): Promise<RecordPage> {
  const { query, digest, cursor, asOf: named, signal, judge } = request
  const from = cursor === undefined ? undefined : decodeToken(core, cursor, digest, placeSchema())
  const position = from?.position
  const head = named ? undefined : (position ?? (await core.store.head({ signal })))
  const asOf: AsOf | undefined =
    named ?? (position === undefined ? undefined : await pageState(core, scope, position, signal))
  const now = named && 'time' in named ? named.time : core.clock()
  const page = await listPage(
    core,
    scope,
    { ...query, now, lifetimes: core.policies.lifetimes, after: from?.after },
    { asOf, signal, bare: true },
    await judge?.({ asOf, now }),
  )
  const records = page.items.map(({ record }) => (asOf ? record : core.touches.withCounts(record)))
  const last = records.at(-1)
  if (!page.more || !last) return { records }
  const after: ListPosition = { value: orderValue(last, query.order), id: last.id }
  return {
    records,
    nextCursor: encodeToken(core, digest, { after, ...(head === undefined ? {} : { position: head }) }),
  }
}
