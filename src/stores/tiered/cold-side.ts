import { type MemoryStore, type OpenOptions, storeClosed } from '../../contract/index.ts'
import { type ErrorCode, MnemeError } from '../../errors/index.ts'

/** The cold store, which may be away: opened when it answers, at the latest by the call that needs it. */
export interface ColdSide {
  /** @throws what the store throws; one that is away is opened by a later call */
  open(options: OpenOptions | undefined): Promise<void>
  close(): Promise<void>
  run<T>(work: (store: MemoryStore) => Promise<T>): Promise<T>
  /** The last call found it away. */
  readonly away: boolean
}

const unknownOutcomes: ReadonlySet<ErrorCode> = new Set(['BACKEND_UNAVAILABLE', 'BACKEND_TIMEOUT', 'BACKEND_FAILED'])

/** The store could not be reached, or did not answer in time: what was asked of it may have happened. */
export function isAway(error: unknown): error is MnemeError {
  return MnemeError.is(error, 'BACKEND_UNAVAILABLE') || MnemeError.is(error, 'BACKEND_TIMEOUT')
}

/** Nothing was written: what was asked can't be done, now or as it is. */
export function isRefusal(error: unknown): boolean {
  return MnemeError.is(error) && !unknownOutcomes.has(error.code)
}

export function coldSide(store: MemoryStore): ColdSide {
  let options: OpenOptions | undefined
  let opened: Promise<void> | null = null
  let away = false
  let isClosed = true

  async function ready(): Promise<void> {
    if (isClosed) throw storeClosed(store.name)
    opened ??= store.open(options).catch((error: unknown) => {
      opened = null
      throw error
    })
    await opened
  }

  async function run<T>(work: (store: MemoryStore) => Promise<T>): Promise<T> {
    try {
      await ready()
      const answer = await work(store)
      away = false
      return answer
    } catch (error) {
      if (isAway(error)) away = true
      // A refusal is an answer, too.
      else if (isRefusal(error)) away = false
      throw error
    }
  }

  return {
    async open(given) {
      options = given
      isClosed = false
      await run(async () => undefined)
    },
    async close() {
      isClosed = true
      opened = null
      await store.close()
    },
    run,
    get away() {
      return away
    },
  }
}
