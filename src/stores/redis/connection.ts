import type { MnemeError } from '../../errors/index.ts'
import { type Client, type Command, discard, loadDriver, type Reply } from './driver.ts'
import { backendFailure, failedAgain, isUnknownScript, lostConnection, timedOut } from './failure.ts'
import type { CheckedOptions } from './options.ts'

/** After an attempt to connect that failed, calls fail at once for so long, milliseconds. */
const pauseMs = 500

/** In a cluster an answer may be another node's: so many times its time a command waits at most. */
const patience = 10

/** The way to the server, made anew when it was lost. */
export interface Connection {
  /** Sends all at once, answers in order; rejects with the first failure. */
  all(operation: string, commands: readonly Command[]): Promise<readonly Reply[]>
  /** The run of the server behind the present connection. */
  run(): Promise<string>
  /** Waits for what was sent. */
  close(): Promise<void>
}

/** Loads the driver and tries to connect. A server that is down is no error. @throws SetupError DRIVER_MISSING */
export async function openConnection(options: CheckedOptions): Promise<Connection> {
  const connect = await loadDriver(options)
  const { commandTimeoutMs } = options
  let current: Promise<Client> | null = null
  let failedAt = Number.NEGATIVE_INFINITY
  let failure: MnemeError | null = null

  function client(): Promise<Client> {
    if (current !== null) return current
    if (failure !== null && performance.now() < failedAt + pauseMs) throw failedAgain(failure)
    const mine: Promise<Client> = connect(() => forget(mine)).catch((error: unknown) => {
      failure = backendFailure('connect', error)
      failedAt = performance.now()
      forget(mine)
      throw failure
    })
    current = mine
    return mine
  }

  function forget(lost: Promise<Client>): void {
    if (current !== lost) return
    current = null
    lost.then(discard, () => undefined)
  }

  /** Any answer shows that the server is alive: a small call may wait behind large ones. */
  let heardAt = 0

  async function send(to: Client, command: Command): Promise<Reply> {
    try {
      return await to.send(command)
    } catch (error) {
      if (command.unknownScript === undefined || !isUnknownScript(error)) throw error
      return await to.send({ key: command.key, args: command.unknownScript })
    } finally {
      heardAt = performance.now()
    }
  }

  /** Fails when nothing at all was heard for the time that a command may take. */
  function inTime<T>(operation: string, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = performance.now()
      const last = options.cluster ? start + patience * commandTimeoutMs : Number.POSITIVE_INFINITY
      let timer: NodeJS.Timeout
      const look = () => {
        const left = Math.min(Math.max(start, heardAt) + commandTimeoutMs, last) - performance.now()
        if (left <= 0) reject(timedOut(operation, commandTimeoutMs))
        else timer = setTimeout(soon, left)
      }
      // An answer may lie unread where this process was busy meanwhile: it gets the turn in which sockets are read.
      const soon = () => setImmediate(look)
      timer = setTimeout(soon, commandTimeoutMs)
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }

  async function all(operation: string, commands: readonly Command[]): Promise<readonly Reply[]> {
    if (commands.length === 0) return []
    const mine = client()
    try {
      const connected = await mine
      return await inTime(operation, Promise.all(commands.map((command) => send(connected, command))))
    } catch (error) {
      if (lostConnection(error)) forget(mine)
      throw backendFailure(operation, error)
    }
  }

  async function close(): Promise<void> {
    const closing = current
    current = null
    const connected = await closing?.catch(() => null)
    if (connected) await inTime('close', connected.close()).catch(() => discard(connected))
  }

  // So that a first call finds a connection; that it failed shows in the calls that need one.
  await client().catch(() => undefined)
  return { all, run: async () => (await client()).run, close }
}
