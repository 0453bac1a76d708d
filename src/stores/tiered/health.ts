import type { MemoryStore, OperationOptions, StoreHealth, TierHealth } from '../../contract/index.ts'
import type { CheckedOptions } from './options.ts'
import { reasonOf } from './reports.ts'
import { asideKind } from './waiting/index.ts'

/** What the lines of the tiers are made of. */
export interface HealthParts {
  readonly options: CheckedOptions
  readonly cold: Pick<MemoryStore, 'name' | 'head' | 'health'>
  /** Why entries are not used at present. */
  readonly distrust: string | null
  /** Transactions that waited for the cold store, that it refused and that are kept apart in it. */
  countSetAside(): Promise<number>
}

async function coldHealth({ cold, countSetAside }: HealthParts, options?: OperationOptions): Promise<TierHealth> {
  const started = performance.now()
  const down = (reason: string): TierHealth => ({ name: cold.name, role: 'cold', status: 'down', reason })
  try {
    if (cold.health === undefined) await cold.head(options)
    const { status = 'ok', tiers = [] } = (await cold.health?.(options)) ?? {}
    const [first] = tiers
    if (status === 'down') return down(first?.reason ?? 'it does not answer')
    const latencyMs = performance.now() - started
    const line: TierHealth = { name: cold.name, latencyMs, ...first, role: 'cold', status }
    const setAside = await countSetAside()
    if (setAside === 0) return line
    const reason = `it refused transactions that waited for it; they are set aside, in records of kind ${asideKind}`
    return { ...line, status: 'degraded', reason: first?.reason ? `${first.reason}; ${reason}` : reason, setAside }
  } catch (error) {
    return down(reasonOf(error) ?? 'it does not answer')
  }
}

async function hotHealth({ options, distrust }: HealthParts, call?: OperationOptions): Promise<TierHealth> {
  const asked: TierHealth = await options.hot.health(call).catch(() => ({
    name: options.hot.name,
    role: 'hot',
    status: 'down',
    reason: distrust ?? 'it does not answer',
  }))
  const line: TierHealth = { ...asked, role: 'hot' }
  const waiting =
    options.mode === 'session' && line.status !== 'down' ? await options.hot.queue.size(call).catch(() => null) : null
  const known = waiting === null ? line : { ...line, waiting }
  if (distrust === null || line.status === 'down') return known
  return { ...known, status: 'degraded', reason: distrust }
}

/** What a cold store that is away means for calls. */
function meanwhile({ mode, maxWaiting }: CheckedOptions, hotIsDown: boolean, takesWrites: boolean): string {
  if (hotIsDown) return 'The hot tier is down too: nothing is read or written.'
  return takesWrites && mode === 'session'
    ? `New memories of sessions wait in the hot tier, at most ${maxWaiting} transactions.`
    : 'Writes fail, and only what the hot tier holds is read.'
}

/** A line per tier. With the hot tier down everything is slower; with the cold one down nothing is durable. */
export async function tieredHealth(parts: HealthParts, call?: OperationOptions): Promise<StoreHealth> {
  const [hot, cold] = await Promise.all([hotHealth(parts, call), coldHealth(parts, call)])
  const { mode, maxWaiting } = parts.options
  const takesWrites =
    cold.status !== 'down' || (mode === 'session' && hot.status !== 'down' && (hot.waiting ?? 0) < maxWaiting)
  const allWell = hot.status === 'ok' && cold.status === 'ok' && (hot.waiting ?? 0) === 0
  const status = !takesWrites ? 'down' : allWell ? 'ok' : 'degraded'
  if (cold.status !== 'down') return { status, tiers: [hot, cold] }
  const why = cold.reason?.replace(/\.?$/, '.') ?? ''
  const reason = `${why} ${meanwhile(parts.options, hot.status === 'down', takesWrites)}`
  return { status, tiers: [hot, { ...cold, reason }] }
}
