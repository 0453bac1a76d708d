import { randomUUID } from 'node:crypto'
import {
  type CommitResult,
  type HotTier,
  type MemoryStore,
  type OperationOptions,
  type StoreChange,
  type StoredVector,
  stampRecord,
  type Transaction,
} from '../../contract/index.ts'
import { BackendError, MnemeError } from '../../errors/index.ts'
import { formatInstant } from '../../model/index.ts'
import { fromFloatBytes, toFloatBytes } from '../../vector/index.ts'
import { type ColdSide, isAway } from './cold-side.ts'
import type { Reports } from './reports.ts'

/** Transactions that wait in the hot tier for the cold store, in the order of their coming. */
export interface Waiting {
  /** Commits; while the cold store is away, what may wait is taken in. */
  commit(transaction: Transaction, options: OperationOptions | undefined): Promise<CommitResult>
  /** Brings what waits into the cold store. Never rejects: what can't go yet waits on. */
  settle(): Promise<void>
  /** The same for what must not pass it by, whichever process left it. @throws when it is not known that nothing waits any more */
  drain(): Promise<void>
  open(): void
  close(): Promise<void>
}

const pageSize = 100
const tickMs = 500

type Put = Extract<StoreChange, { readonly type: 'put' }>

interface PackedVector {
  readonly space: string
  readonly base64: string
}

function packed(transaction: Transaction): string {
  const pack = (vector: StoredVector | null) =>
    vector && { space: vector.space, base64: Buffer.from(toFloatBytes(vector.values)).toString('base64') }
  const changes = transaction.changes.map((change) =>
    change.type === 'put' ? { ...change, vector: pack(change.vector) } : change,
  )
  return JSON.stringify({ ...transaction, changes })
}

function unpacked(entry: string): Transaction {
  const transaction = JSON.parse(entry) as Transaction
  const changes = transaction.changes.map((change) => {
    if (change.type !== 'put' || change.vector === null) return change
    const { space, base64 } = change.vector as unknown as PackedVector
    return { ...change, vector: { space, values: fromFloatBytes(Buffer.from(base64, 'base64')) } }
  })
  return { ...transaction, changes }
}

/** What was promised to the caller stays as it was told. */
function timed(transaction: Transaction): Transaction {
  const now = formatInstant(transaction.at)
  const changes = transaction.changes.map((change) => {
    if (change.type !== 'put') return change
    const { createdAt = now, updatedAt = now } = change.record
    return { ...change, record: { ...change.record, createdAt, updatedAt } }
  })
  return { ...transaction, changes }
}

function putsOf({ changes }: Transaction): readonly Put[] {
  return changes.filter((change) => change.type === 'put')
}

/** @param mayWait whether a transaction does nothing but add memories to a session */
export function waitingRoom(
  tier: HotTier,
  cold: ColdSide,
  reports: Reports,
  maxWaiting: number,
  mayWait: (transaction: Transaction) => boolean,
): Waiting {
  let maybe = true
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  async function takeIn(given: Transaction, away: MnemeError): Promise<CommitResult> {
    const transaction = timed(given)
    const { id, at } = transaction
    let taken: boolean
    try {
      taken = await tier.queue.push(packed(transaction), maxWaiting)
    } catch {
      throw away
    }
    if (!taken) {
      throw new BackendError({
        code: 'BACKEND_UNAVAILABLE',
        message: `tiered store: the cold store is away, and ${maxWaiting} transactions wait for it already. Nothing was written; try again when it is back.`,
        details: { waiting: maxWaiting },
      })
    }
    maybe = true
    reports.tell('cold', away, 'The cold store is away: what was written waits in the hot tier and is not durable yet.')
    const records = putsOf(transaction).map(({ record }) =>
      stampRecord(record, { lastVersion: 0, createdAt: null, at }),
    )
    return { tx: id, at, replayed: false, durable: false, records }
  }

  /** Whatever was taken in is written: what it required then nobody could look up, and it was promised. */
  async function bring(store: MemoryStore, transaction: Transaction): Promise<void> {
    const attempts = [
      transaction,
      { ...transaction, requires: [], idempotency: undefined },
      // An id that has come to belong to another scope meanwhile.
      {
        ...transaction,
        requires: [],
        idempotency: undefined,
        changes: transaction.changes.map((change) =>
          change.type === 'put' ? { ...change, record: { ...change.record, id: randomUUID() } } : change,
        ),
      },
    ]
    const untell = () => tier.evict(putsOf(transaction).map(({ record }) => record.id))
    for (const [i, attempt] of attempts.entries()) {
      try {
        const { replayed, tx } = await store.commit(attempt)
        // The call was made before: what this one told of was never written.
        if (replayed && tx !== transaction.id) await untell()
        return
      } catch (error) {
        const isConflict =
          MnemeError.is(error, 'CONFLICT') ||
          MnemeError.is(error, 'VERSION_CONFLICT') ||
          MnemeError.is(error, 'IDEMPOTENCY_CONFLICT')
        if (!isConflict || i === attempts.length - 1) throw error
        // Somebody brought it before, or it was written after all when the answer was lost.
        if ((await store.transaction(transaction.id)) !== null) return
        await untell()
      }
    }
  }

  async function bringAll(): Promise<void> {
    for (;;) {
      const entries = await tier.queue.peek(pageSize)
      if (entries.length === 0) {
        maybe = false
        return
      }
      for (const entry of entries) {
        await cold.run((store) => bring(store, unpacked(entry)))
        await tier.queue.shift(entry)
      }
    }
  }

  function bringNow(): Promise<void> {
    running ??= bringAll().finally(() => {
      running = null
    })
    return running
  }

  /** @throws what the cold store throws; that the hot tier does not answer is no obstacle */
  async function flush(): Promise<void> {
    if (!maybe) return
    try {
      await bringNow()
    } catch (error) {
      if (cold.away) throw error
      reports.tell('hot', error, 'What waits in the hot tier could not be brought: it is missing from the answer.')
    }
  }

  async function tick(): Promise<void> {
    // Who can't look does not know.
    if (!maybe) maybe = (await tier.queue.size().catch(() => 1)) > 0
    await flush()
  }

  return {
    async commit(transaction, options) {
      try {
        await flush()
        return await cold.run((store) => store.commit(transaction, options))
      } catch (error) {
        if (!isAway(error) || !mayWait(transaction)) throw error
        return takeIn(transaction, error)
      }
    },
    async settle() {
      // That the cold store is away is found out, and told, by the call that comes next.
      await flush().catch(() => undefined)
    },
    async drain() {
      // What was looked for before may have come since.
      await running?.catch(() => undefined)
      await bringNow()
    },
    open() {
      maybe = true
      timer = setInterval(() => void tick().catch(() => undefined), tickMs).unref()
    },
    async close() {
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}
