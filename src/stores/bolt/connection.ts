import { setTimeout as pause } from 'node:timers/promises'
import type { Driver, Session, Transaction } from 'neo4j-driver'
import { createDriver } from './driver.ts'
import { backendFailure, isLost, isPassing, timedOut } from './failure.ts'
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
  /** After a commit whose answer was lost: whether it landed. Absent: the work may be done twice. */
  readonly landed?: ((result: T) => Promise<boolean>) | undefined
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

async function once<T>(session: Session, timeoutMs: number, body: (run: Run) => Promise<T>): Promise<T> {
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
    async enter(): Promise<void> {
      if (inside < most) inside++
      else await new Promise<void>((resolve) => waiting.push(resolve))
    },
    leave(): void {
      const next = waiting.shift()
      if (next) next()
      else inside--
    },
  }
}

export function connect(options: CheckedOptions): Connection {
  const { timeoutMs, database } = options
  const gate = turnstile(options.maxConnections)
  let current: Promise<Driver> | null = null

  const driver = () => {
    current ??= createDriver(options)
    const made = current
    made.catch(() => {
      if (current === made) current = null
    })
    return made
  }

  /** A connection that does not answer can't be closed in order: it is left to a driver of its own to be taken down. */
  function abandon(): void {
    const left = current
    current = null
    void left?.then((old) => old.close()).catch(() => undefined)
  }

  async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    await gate.enter()
    try {
      return await inSession(work)
    } finally {
      gate.leave()
    }
  }

  async function inSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = (await driver()).session({
      ...(database === undefined ? {} : { database }),
      defaultAccessMode: 'WRITE',
    })
    try {
      return await work(session)
    } finally {
      await session.close().catch(() => undefined)
    }
  }

  /** Gives up on what does not answer in time. */
  async function inTime<T>(call: Call, deadline: number, work: () => Promise<T>): Promise<T> {
    const timer = new AbortController()
    const late = pause(Math.max(1, deadline - performance.now()), undefined, { signal: timer.signal, ref: false }).then(
      () => {
        abandon()
        throw timedOut(call.operation, timeoutMs)
      },
    )
    late.catch(() => undefined)
    try {
      return await Promise.race([work(), late])
    } finally {
      timer.abort()
    }
  }

  async function transact<T>(call: Call, body: (run: Run) => Promise<T>, attempts: Attempts<T> = {}): Promise<T> {
    const deadline = performance.now() + timeoutMs
    let lost = 0
    for (let longest = 4; ; longest = Math.min(200, longest * 2)) {
      call.signal?.throwIfAborted()
      try {
        await attempts.prepare?.()
        return await inTime(call, deadline, () => withSession((session) => once(session, timeoutMs, body)))
      } catch (error) {
        if (error instanceof CommitLost) {
          const { error: cause, result } = error.cause as { error: unknown; result: T }
          if (attempts.landed && (await attempts.landed(result))) return result
          if (lost++ >= mostReconnects) throw backendFailure(call.operation, cause)
          continue
        }
        if (isLost(error)) {
          if (lost++ >= mostReconnects) throw backendFailure(call.operation, error)
          continue
        }
        const again = error instanceof StartOver || isPassing(error)
        if (!again || performance.now() > deadline) throw backendFailure(call.operation, error)
      }
      await pause(Math.random() * longest)
    }
  }

  return {
    transact,
    alone: (call, text) =>
      inTime(call, performance.now() + timeoutMs, () => withSession(async (session) => void (await session.run(text)))),
    async agent(call) {
      try {
        return await inTime(call, performance.now() + timeoutMs, async () => {
          const info = await (await driver()).getServerInfo(database === undefined ? {} : { database })
          return info.agent
        })
      } catch (error) {
        throw backendFailure(call.operation, error)
      }
    },
    async close() {
      const made = current
      current = null
      await (await made?.catch(() => null))?.close()
    },
  }
}
