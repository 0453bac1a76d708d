import { setTimeout as pause } from 'node:timers/promises'
import type { Driver, Session, Transaction } from 'neo4j-driver'
import { createDriver } from './driver.ts'
import { backendFailure, crowded, fateUnknown, isLost, isPassing, timedOut } from './failure.ts'
import type { CheckedOptions } from './options.ts'

export type Row = Readonly<Record<string, unknown>>
export type Parameters = Readonly<Record<string, unknown>>

/**
 * Statements of one transaction. Each is on its way at once, in order; the server works on them one after the other and does nothing
 * more after one that failed. So what does not build on an answer need not wait for it.
 */
export type Run = (text: string, parameters?: Parameters) => Promise<readonly Row[]>

export interface Call {
  /** For messages. */
  readonly operation: string
  readonly signal?: AbortSignal | undefined
}

/** How a transaction is taken up again. */
export interface Attempts<T> {
  /** Before each attempt, ahead of its transaction. */
  readonly prepare?: (() => Promise<void>) | undefined
  /** Of what must not be done twice: its transaction, and whether that landed when the answer to its commit was lost. */
  readonly once?: { readonly tx: string; readonly landed: (result: T) => Promise<boolean> } | undefined
}

/** What a body throws to begin anew, on other locks: nothing of it was kept. */
export class StartOver extends Error {}

export interface Connection {
  /** Runs the body in a transaction, again where others were in the way or a connection was lost before anything was kept. */
  transact<T>(call: Call, body: (run: Run) => Promise<T>, attempts?: Attempts<T>): Promise<T>
  /** Runs a statement that a transaction can't hold. */
  alone(call: Call, text: string): Promise<void>
  /** What the server calls itself. */
  agent(call: Call): Promise<string | undefined>
  close(): Promise<void>
}

/** Lost connections are replaced this often per call: the pool may hold several that the server has forgotten. */
const mostReconnects = 2

function runIn(transaction: Transaction): Run {
  return (text, parameters) => {
    const rows = transaction.run(text, parameters).then(({ records }) => records.map((record) => record.toObject()))
    // Whoever awaits it gets the failure; a body that was stopped by another one need not.
    rows.catch(() => undefined)
    return rows
  }
}

class CommitLost extends Error {}

async function inTransaction<T>(session: Session, timeoutMs: number, body: (run: Run) => Promise<T>): Promise<T> {
  const transaction = session.beginTransaction({ timeout: timeoutMs })
  // When it can't begin, the first statement says so too.
  const begun = Promise.resolve(transaction).catch(() => undefined)
  const open = transaction as unknown as Transaction
  let result: T
  try {
    result = await body(runIn(open))
    await begun
  } catch (error) {
    await open.rollback().catch(() => undefined)
    throw error
  }
  try {
    await open.commit()
  } catch (error) {
    if (!isLost(error)) throw error
    throw new CommitLost('', { cause: { error, result } })
  }
  return result
}

/** Lets so many in at a time, in the order of their coming: who waits for a connection waits here, not for the driver's patience. */
function turnstile(most: number) {
  let inside = 0
  const waiting: (() => void)[] = []
  return {
    /** Nothing is done for who was gone before his turn. */
    async through<T>(gone: AbortSignal, work: () => Promise<T>): Promise<T> {
      // Who leaves hands his place on.
      if (inside < most) inside++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        gone.throwIfAborted()
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else inside--
      }
    },
  }
}

export function connect(options: CheckedOptions): Connection {
  const gate = turnstile(options.maxConnections)
  const database = options.database === undefined ? {} : { database: options.database }
  let current: Promise<Driver> | null = null

  function driver(): Promise<Driver> {
    if (current !== null) return current
    const made = createDriver(options)
    current = made
    made.catch(() => {
      if (current === made) current = null
    })
    return made
  }

  /** A connection that does not answer can't be closed in order: its whole driver is left, to be taken down by itself. */
  function abandon(left: Promise<Driver>): void {
    if (current === left) current = null
    void left.then((old) => old.close()).catch(() => undefined)
  }

  /** Runs work on a driver when there is room, and gives up on what does not answer in time. */
  async function inTime<T>(
    call: Call,
    deadline: number,
    work: (driver: Driver) => Promise<T>,
    tx?: string,
  ): Promise<T> {
    const over = new AbortController()
    let mine: Promise<Driver> | null = null
    const worked = gate.through(over.signal, async () => {
      mine = driver()
      return work(await mine)
    })
    const left = Math.max(1, deadline - performance.now())
    const late = pause(left, undefined, { signal: over.signal, ref: false }).then(() => {
      if (mine) abandon(mine)
      throw timedOut(call.operation, options.timeoutMs, tx)
    })
    late.catch(() => undefined)
    worked.catch(() => undefined)
    try {
      return await Promise.race([worked, late])
    } finally {
      over.abort()
    }
  }

  async function inSession<T>(from: Driver, work: (session: Session) => Promise<T>): Promise<T> {
    const session = from.session({ ...database, defaultAccessMode: 'WRITE' })
    try {
      return await work(session)
    } finally {
      await session.close().catch(() => undefined)
    }
  }

  async function transact<T>(
    call: Call,
    body: (run: Run) => Promise<T>,
    { prepare, once }: Attempts<T> = {},
  ): Promise<T> {
    const timeoutMs = options.timeoutMs
    const started = performance.now()
    const deadline = started + timeoutMs
    let reconnects = 0
    for (let longest = 4; ; longest = Math.min(200, longest * 2)) {
      call.signal?.throwIfAborted()
      try {
        await prepare?.()
        const attempt = (from: Driver) => inSession(from, (session) => inTransaction(session, timeoutMs, body))
        return await inTime(call, deadline, attempt, once?.tx)
      } catch (error) {
        const commit = error instanceof CommitLost ? (error.cause as { error: unknown; result: T }) : null
        if (commit && once) {
          const there = await once
            .landed(commit.result)
            .catch(() => Promise.reject(fateUnknown(call.operation, once.tx)))
          if (there) return commit.result
        }
        const cause = commit?.error ?? error
        if (isLost(cause)) {
          const slow = performance.now() - started > options.connectTimeoutMs
          if (slow || reconnects++ >= mostReconnects) throw backendFailure(call.operation, cause)
          continue
        }
        const again = error instanceof StartOver || isPassing(error)
        if (!again || performance.now() > deadline)
          throw again ? crowded(call.operation) : backendFailure(call.operation, error)
      }
      await pause(Math.random() * longest)
    }
  }

  return {
    transact,
    alone: (call, text) =>
      inTime(call, performance.now() + options.timeoutMs, (from) =>
        inSession(from, async (session) => void (await session.run(text))),
      ),
    async agent(call) {
      for (let reconnects = 0; ; reconnects++) {
        try {
          const deadline = performance.now() + options.timeoutMs
          return (await inTime(call, deadline, (from) => from.getServerInfo(database))).agent
        } catch (error) {
          if (!isLost(error) || reconnects >= mostReconnects) throw backendFailure(call.operation, error)
        }
      }
    },
    async close() {
      const made = current
      current = null
      await (await made?.catch(() => null))?.close()
    },
  }
}
