import { type HotTier, knownOptions, type MemoryStore } from '../../contract/index.ts'
import { SetupError } from '../../errors/index.ts'

export interface TieredOptions {
  /** Answers first, such as `redis({ url, ttlMs })`. The store opens and closes it. */
  readonly hot: HotTier
  /** Keeps everything: what is acknowledged is in it. The store opens and closes it. */
  readonly cold: MemoryStore
  /**
   * - `write-through`: a write goes to the cold store and then to the hot tier.
   * - `session`: new memories of a session are staged in the log of the cold store until `migrateToCold` makes records of them; while the
   *   cold store is away they wait in the hot tier.
   * @default 'write-through'
   */
  readonly mode?: 'write-through' | 'session' | undefined
  /** Session mode: how many transactions may wait in the hot tier while the cold store is away, 0..1,000,000. @default 1000 */
  readonly maxWaiting?: number | undefined
  /**
   * How long, at most, this process may still answer from entries that another process could not take back from the hot tier, 100..60,000
   * milliseconds. It looks for such word in the cold store twice in that time. @default 2000
   */
  readonly staleMs?: number | undefined
  /**
   * Names the cold store to the hot tier, the same in every process. With it entries can be answered also where the store was opened while
   * the cold one was away; a cold store that is made anew wants another name. @default made of the secret of the cold store
   */
  readonly behind?: string | undefined
}

export interface CheckedOptions {
  readonly hot: HotTier
  readonly cold: MemoryStore
  readonly mode: 'write-through' | 'session'
  readonly maxWaiting: number
  readonly staleMs: number
  readonly behind: string | undefined
}

function refuse(message: string): SetupError {
  return new SetupError({ code: 'BAD_CONFIG', message: `tiered store: ${message}.` })
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}

function has<Part>(part: unknown, methods: readonly (keyof Part & string)[]): part is Part {
  const given = part as Readonly<Record<string, unknown>> | null | undefined
  return methods.every((method) => typeof given?.[method] === 'function')
}

const names = { hot: true, cold: true, mode: true, maxWaiting: true, staleMs: true, behind: true } as const

/** @throws SetupError BAD_CONFIG */
export function checkOptions(given: TieredOptions): CheckedOptions {
  const options = knownOptions('tiered store', given, names)
  const { hot, cold, mode = 'write-through', maxWaiting = 1000, staleMs = 2000, behind } = options
  if (!has<HotTier>(hot, ['putIfNewer', 'hold', 'flushEpoch']))
    throw refuse('hot: must be a hot tier, such as redis({ url })')
  if (!has<MemoryStore>(cold, ['commit', 'log'])) throw refuse('cold: must be a store, such as postgres({ url })')
  if (mode !== 'write-through' && mode !== 'session') throw refuse('mode: must be "write-through" or "session"')
  if (!isWhole(maxWaiting, 0, 1_000_000)) throw refuse('maxWaiting: must be a whole number from 0 to 1,000,000')
  if (!isWhole(staleMs, 100, 60_000)) throw refuse('staleMs: must be a whole number from 100 to 60,000')
  if (behind !== undefined && (typeof behind !== 'string' || behind === ''))
    throw refuse('behind: must be a name, the same in every process')
  return { hot, cold, mode, maxWaiting, staleMs, behind }
}
