import type { ScopeFilter } from '../../model/index.ts'
import type { Client, Pool, Row, Statement } from './driver.ts'
import { backendFailure, hasTimedOut, isConnectionLost } from './failure.ts'
import { createOwnSessions } from './own-sessions.ts'
import { createStatementNames, isMisnamed } from './statement-names.ts'
import type { Wall } from './wall/index.ts'

/** What is being done, for errors; and for whom. */
export interface Call {
  readonly operation: string
  readonly signal?: AbortSignal | undefined
  /** What the caller may see, where it reads by a filter. */
  readonly scope?: ScopeFilter | undefined
  /** Works over everything, so no time is too long. @default false */
  readonly long?: boolean | undefined
  /** Plans are carried out as they are: to compile one takes longer than what it is for. @default false */
  readonly planned?: boolean | undefined
  /** It changes settings for its own statements, so a read is a transaction in any case. @default false */
  readonly sets?: boolean | undefined
}

/**
 * Runs one statement. Names in braces are tables of the store: `SELECT id FROM {records}`. Values go as parameters $1, $2 …
 * @param plan `steady` where one plan is as good as another for all values, so that it may be made once
 */
export type Query = (text: string, values?: readonly unknown[], plan?: 'steady') => Promise<readonly Row[]>

/**
 * - `read`: what each statement sees is committed when it starts
 * - `snapshot`: all statements see one state
 * - `write`: like `read`, and may write
 */
export type Mode = 'read' | 'snapshot' | 'write'

export interface Database {
  /**
   * One transaction on a connection of the pool, begun, committed or rolled back here and nowhere else. Nothing is kept on a
   * connection that a pooler may hand to somebody else right after. Statements that are not awaited travel together.
   *
   * Behind a wall a read sees what its scope lets through, and a write everything. With `beyond` a read asks for what is of
   * no scope: the log, and tombstones.
   *
   * A read is run again when its connection was lost. On a session of the server's own it is no transaction, unless it needs one: as
   * each of its statements sees what is committed by then, that would only be more to send.
   */
  transaction<T>(call: Call, mode: Mode, action: (query: Query, beyond: Query) => Promise<T>): Promise<T>
  /**
   * One that writes, and commits itself, so that its last statements travel together; without, it is rolled back. Rejects with
   * the driver's own errors, so that it can be judged whether to begin anew.
   */
  writing<T>(call: Call, action: (query: Query, commit: () => Promise<void>) => Promise<T>): Promise<T>
  /** One statement that no transaction may hold, and no limit of time. */
  alone(call: Call, text: string): Promise<void>
  /** True when a call failed only because its connection had died before, maybe with all others of the pool, or no longer knew a name. */
  isStale(error: unknown): boolean
  /** A statement with the names of tables filled in. */
  text(text: string): string
  end(): Promise<void>
}

export interface DatabaseOptions {
  readonly pool: Pool
  readonly schema: string
  readonly poolSize: number
  readonly timeoutMs: number
  /** Whether the server answers at all, in that time. */
  readonly isReachable: () => Promise<boolean>
  /** Row-level security, where it holds the user. */
  readonly wall: Wall | null
}

const begin: Readonly<Record<Mode, string>> = {
  read: 'BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY',
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  write: 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
}

/** The server gives up first, so that its answer is what is heard. */
const patience = 5000

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function rejectWhenAborted(signal: AbortSignal | undefined): { readonly aborted: Promise<never>; done(): void } {
  let stop: () => void = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    stop = () => signal?.removeEventListener('abort', abort)
  })
  aborted.catch(() => undefined)
  return { aborted, done: () => stop() }
}

const waiting = new WeakSet<object>()

/** What is sent in one turn goes out in one write: a write is dearer than most statements. */
function travelTogether({ connection }: Client): void {
  const stream = connection?.stream
  if (stream?.cork === undefined || waiting.has(stream)) return
  waiting.add(stream)
  stream.cork()
  setImmediate(() => {
    waiting.delete(stream)
    stream.uncork?.()
  })
}

/** Closes a connection at once: the pool would wait for the end of the statement under way first, and let nobody else on meanwhile. */
function drop(client: Client): void {
  client.connection?.stream?.destroy?.()
  client.release(true)
}

export function createDatabase({ pool, schema, poolSize, timeoutMs, isReachable, wall }: DatabaseOptions): Database {
  const texts = new Map<string, string>()
  const quoted = quoteName(schema)
  /** No connection was to be had. */
  const refusals = new WeakSet<object>()
  const own = createOwnSessions(timeoutMs)
  const names = createStatementNames()
  const isStale = (error: unknown) =>
    isMisnamed(error) || (isConnectionLost(error) && !refusals.has(error as object) && !hasTimedOut(error))

  function fillIn(text: string): string {
    let known = texts.get(text)
    if (known === undefined) {
      known = text.replaceAll(/\{(\w+)\}/g, (_, table: string) => `${quoted}.${quoteName(table)}`)
      if (texts.size < 1000) texts.set(text, known)
    }
    return known
  }

  function prologue(mode: Mode, call: Call): string {
    const limit = call.long ? 0 : timeoutMs
    return `${begin[mode]}; SET LOCAL statement_timeout = ${limit}; SET LOCAL idle_in_transaction_session_timeout = ${timeoutMs}${call.planned === true ? '; SET LOCAL jit = off' : ''}`
  }

  /** Rejects at once when the call is aborted; whoever waits closes the connection then. */
  async function run<T>(
    call: Call,
    mode: Mode,
    action: (query: Query, commit: () => Promise<void>, beyond: Query) => Promise<T>,
  ): Promise<T> {
    const { signal, long = false } = call
    signal?.throwIfAborted()
    const client = await connect(call)
    const limit = long ? {} : { query_timeout: timeoutMs + patience }
    const send = (statement: Statement) => {
      travelTogether(client)
      return client.query({ ...statement, ...limit })
    }
    own.meet(client, async (text, values) => (await send({ text, values })).rows)
    const isOwn = own.isOwn(client)
    const isBare = isOwn && mode === 'read' && wall === null && !long && call.sets !== true
    let failed = false
    let first: unknown
    const query: Query = async (text, values, plan) => {
      if (!long) signal?.throwIfAborted()
      // The connection may be at work for somebody else by now.
      if (failed) throw first
      try {
        const filled = fillIn(text)
        const name = isOwn && plan === 'steady' ? names.nameFor(filled) : undefined
        const { rows } = await send({ text: filled, values, name })
        return rows
      } catch (error) {
        if (isMisnamed(error)) own.distrust()
        // Later ones fail because the first did.
        if (!failed) first = error
        failed = true
        throw first
      }
    }
    const { aborted, done } = rejectWhenAborted(signal)
    const watched = long ? watch(client) : undefined
    const begun = isBare ? undefined : query(prologue(mode, call))
    begun?.catch(() => undefined)
    const seen = mode === 'write' ? undefined : call.scope
    // As a parameter, which the server shows to nobody: the text of a statement can be read in pg_stat_activity.
    const enter = (scope?: ScopeFilter) => {
      if (wall !== null) query('SELECT {wall_enter}($1)', [wall.token(scope)]).catch(() => undefined)
    }
    enter(seen)
    const beyond: Query = (...statement) => {
      if (seen !== undefined) enter()
      const answer = query(...statement)
      if (seen !== undefined) enter(seen)
      return answer
    }
    let committed = false
    const commit = async () => {
      committed = true
      await query('COMMIT')
    }
    try {
      const work = action(query, commit, beyond)
      const answer = await (mode === 'write' ? work : Promise.race([work, aborted]))
      await begun
      finish(client, committed || isBare ? null : mode === 'write' ? 'ROLLBACK' : 'COMMIT', send)
      return answer
    } catch (error) {
      const isLost = failed && isConnectionLost(first)
      if (!failed) first = error
      failed = true
      await abandon(client, send, isLost || signal?.aborted === true)
      throw error
    } finally {
      watched?.done()
      done()
    }
  }

  /** What may take any time is given up when the server can't be reached any more: it would wait for good. */
  function watch({ connection }: Client): { done(): void } {
    let isAsking = false
    let isOver = false
    const timer = setInterval(async () => {
      if (isAsking) return
      isAsking = true
      const isThere = await isReachable()
      isAsking = false
      // Afterwards the connection may be at work for somebody else.
      if (!isThere && !isOver) connection?.stream?.destroy?.()
    }, timeoutMs)
    return {
      done() {
        isOver = true
        clearInterval(timer)
      },
    }
  }

  async function connect(call: Call): Promise<Client> {
    const connecting = pool.connect()
    const { aborted, done } = rejectWhenAborted(call.signal)
    try {
      return await Promise.race([connecting, aborted])
    } catch (error) {
      if (typeof error === 'object' && error !== null) refusals.add(error)
      connecting.then(
        (client) => client.release(),
        () => undefined,
      )
      throw error
    } finally {
      done()
    }
  }

  /** What was read is there already, so nobody waits for the end of a read. */
  function finish(client: Client, last: string | null, send: (statement: Statement) => Promise<unknown>): void {
    if (last === null) {
      client.release()
      return
    }
    send({ text: last }).then(
      () => client.release(),
      () => drop(client),
    )
  }

  async function abandon(
    client: Client,
    send: (statement: Statement) => Promise<unknown>,
    isUseless: boolean,
  ): Promise<void> {
    if (isUseless) {
      drop(client)
      return
    }
    await send({ text: 'ROLLBACK' }).then(
      () => client.release(),
      () => drop(client),
    )
  }

  async function translated<T>(call: Call, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason
      throw backendFailure(call.operation, error)
    }
  }

  async function read<T>(call: Call, mode: Mode, action: (query: Query, beyond: Query) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(call, mode, (query, _, beyond) => action(query, beyond))
      } catch (error) {
        if (attempt > poolSize || call.signal?.aborted || !isStale(error)) throw error
      }
    }
  }

  async function alone(call: Call, text: string): Promise<void> {
    const client = await connect(call)
    const { aborted, done } = rejectWhenAborted(call.signal)
    const watched = watch(client)
    try {
      // Such a session has a limit of time, and is closed after this.
      const isLimited = own.isSet(client)
      if (isLimited) await Promise.race([client.query({ text: 'SET statement_timeout = 0' }), aborted])
      await Promise.race([client.query({ text: fillIn(text) }), aborted])
      if (isLimited) drop(client)
      else client.release()
    } catch (error) {
      drop(client)
      throw error
    } finally {
      watched.done()
      done()
    }
  }

  return {
    alone: (call, text) => translated(call, () => alone(call, text)),
    isStale,
    text: fillIn,
    transaction: (call, mode, action) =>
      translated(call, () =>
        mode === 'write'
          ? run(call, mode, async (query, commit, beyond) => {
              const answer = await action(query, beyond)
              await commit()
              return answer
            })
          : read(call, mode, action),
      ),
    writing: (call, action) => run(call, 'write', action),
    end: () => pool.end(),
  }
}
