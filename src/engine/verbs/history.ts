import { z } from 'zod'
import type { LoggedChange, LoggedTransaction } from '../../contract/index.ts'
import { type Change, formatInstant, matchesScope, type Revision, type ScopeFilter } from '../../model/index.ts'
import { readScope } from '../access.ts'
import { decodeToken, encodeToken } from '../tokens.ts'
import { type Call, cursorField, defineVerb, idField, limitField, limitOf, readOptions } from '../verb.ts'

const defaultLimit = 100
/** What a place in the change feed belongs to: any scope, so that one cursor serves whoever may read. */
const feed = 'changes'
const pollMs = 250

export const history = defineVerb({
  name: 'history',
  summary: 'Show every version of a memory, oldest first.',
  positional: ['id'],
  input: z.strictObject({ id: idField, ...readOptions }),
  writes: false,
  example: 'mneme history ID --user ann',
  run: (call, input): Promise<readonly Revision[]> =>
    call.core.store.revisions(readScope(call.access, input), input.id, { signal: input.signal }),
})

/** A place in the log: after the first `changes` changes that follow `after`. */
interface Place {
  readonly after: string | null
  readonly skip: number
}

function changeOf(transaction: LoggedTransaction, change: LoggedChange, cursor: string): Change | null {
  if (change.type !== 'put' && change.type !== 'remove') return null
  // What an erase left behind belongs to nobody's scope any more.
  if (change.scope === null || change.kind.startsWith('_')) return null
  const record = change.type === 'put' ? change.stored?.record : undefined
  return {
    tx: transaction.id,
    cursor,
    at: formatInstant(transaction.at),
    op: change.op,
    id: change.id,
    kind: change.kind,
    scope: change.scope,
    version: change.version,
    ...(record === undefined ? {} : { record }),
  }
}

async function readChanges(call: Call, scope: ScopeFilter, start: Place, limit: number, signal?: AbortSignal) {
  const found: Change[] = []
  let place = start
  for (;;) {
    const page = await call.core.store.log(place.after, { limit: 200, signal })
    let before = place.after
    for (const transaction of page.entries) {
      for (let i = before === place.after ? place.skip : 0; i < transaction.changes.length; i++) {
        const next: Place =
          i + 1 === transaction.changes.length ? { after: transaction.cursor, skip: 0 } : { after: before, skip: i + 1 }
        const cursor = encodeToken(feed, { ...next })
        const change = changeOf(transaction, transaction.changes[i] as LoggedChange, cursor)
        if (!change || !matchesScope(scope, change.scope)) continue
        found.push(change)
        if (found.length === limit) return { changes: found, cursor }
      }
      before = transaction.cursor
    }
    place = {
      after: page.entries.length > 0 ? page.cursor : place.after,
      skip: page.entries.length > 0 ? 0 : place.skip,
    }
    if (page.entries.length === 0) return { changes: found, cursor: encodeToken(feed, { ...place }) }
  }
}

function placeOf(after: string | undefined): Place {
  if (after === undefined) return { after: null, skip: 0 }
  const place = decodeToken(after, feed)
  return { after: (place.after as string | null) ?? null, skip: Number(place.skip) || 0 }
}

export const changes = defineVerb({
  name: 'changes',
  summary: 'Show what changed after a cursor, in order.',
  positional: [],
  input: z.strictObject({ after: cursorField, limit: limitField, ...readOptions }),
  writes: false,
  example: 'mneme changes --user ann --limit 20',
  run(call, input): Promise<{ readonly changes: readonly Change[]; readonly cursor: string }> {
    const scope = readScope(call.access, input)
    return readChanges(call, scope, placeOf(input.after), limitOf(input.limit, defaultLimit), input.signal)
  },
})

/** Whichever comes first: a commit of this engine, a look at what other processes did, or the end. */
async function pause(committed: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  const waited = new Promise<void>((resolve) => {
    stop = resolve
    timer = setTimeout(resolve, pollMs)
    signal?.addEventListener('abort', resolve as () => void, { once: true })
  })
  await Promise.race([committed, waited])
  clearTimeout(timer)
  if (stop) signal?.removeEventListener('abort', stop)
}

export const watch = defineVerb({
  name: 'watch',
  summary: 'Show changes as they come, until interrupted.',
  positional: [],
  input: z.strictObject({ after: cursorField, ...readOptions }),
  writes: false,
  streams: true,
  example: 'mneme watch --user ann -o jsonl',
  run(call, input): AsyncIterable<Change> {
    const scope = readScope(call.access, input)
    const given = input.after === undefined ? undefined : placeOf(input.after)
    const { store, committed } = call.core
    return (async function* follow(): AsyncGenerator<Change> {
      let place: Place = given ?? { after: await store.head(), skip: 0 }
      while (!input.signal?.aborted) {
        const next = committed.next()
        const page = await readChanges(call, scope, place, 1000)
        place = placeOf(page.cursor)
        yield* page.changes
        if (page.changes.length === 0) await pause(next, input.signal)
      }
    })()
  },
})
