import { z } from 'zod'
import type { LoggedChange, LoggedTransaction } from '../../contract/index.ts'
import {
  type Change,
  formatInstant,
  madeOnce,
  matchesScope,
  type Revision,
  type ScopeFilter,
} from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { Core } from '../core.ts'
import { decodeToken, encodeToken } from '../tokens.ts'
import { cursorField, defineVerb, idField, limitField, limitOf, readOptions } from '../verb.ts'

const defaultLimit = 100
/** What a place in the change feed belongs to: any scope, so that one cursor serves whoever may read. */
const feed = 'changes'
const pollMs = 250

export const history = defineVerb({
  name: 'history',
  summary: 'Show every version of a memory, oldest first.',
  positional: ['id'],
  input: () => z.strictObject({ id: idField(), ...readOptions }),
  writes: false,
  asKept: true,
  shows: (revisions: readonly Revision[]) =>
    revisions.flatMap(({ record }) => (record === null ? [] : [record])).slice(-1),
  example: 'mneme history ID --user ann',
  run: (call, input): Promise<readonly Revision[]> =>
    call.core.store.revisions(readScope(call.access, input), input.id, { signal: input.signal }),
})

const batch = 200

const placeSchema = madeOnce(() => z.strictObject({ after: z.string().nullable(), skip: z.int().min(0) }))

/** A place in the log: after the first `changes` changes that follow `after`. */
interface Place {
  readonly after: string | null
  readonly skip: number
}

/** What the feed says of a logged change; null for links and for mneme's own bookkeeping. */
function changeOf(transaction: LoggedTransaction, change: LoggedChange): Omit<Change, 'cursor'> | null {
  if (change.type !== 'put' && change.type !== 'remove') return null
  // What an erase left behind belongs to nobody's scope any more.
  if (change.scope === null || change.kind.startsWith('_')) return null
  const record = change.type === 'put' ? change.stored?.record : undefined
  return {
    tx: transaction.id,
    at: formatInstant(transaction.at),
    op: change.op,
    id: change.id,
    kind: change.kind,
    scope: change.scope,
    version: change.version,
    ...(record === undefined ? {} : { record }),
  }
}

interface Feed {
  readonly changes: readonly Change[]
  /** Everything before it was looked at. */
  readonly end: Place
}

async function readChanges(
  core: Core,
  scope: ScopeFilter,
  start: Place,
  limit: number,
  signal?: AbortSignal,
): Promise<Feed> {
  const changes: Change[] = []
  let place = start
  for (;;) {
    const page = await core.store.log(place.after, { limit: batch, signal })
    if (page.entries.length === 0) return { changes, end: place }
    for (const transaction of page.entries) {
      const last = transaction.changes.length - 1
      for (let i = place.skip; i <= last; i++) {
        const next: Place = i === last ? { after: transaction.cursor, skip: 0 } : { after: place.after, skip: i + 1 }
        const change = changeOf(transaction, transaction.changes[i] as LoggedChange)
        if (!change || !matchesScope(scope, change.scope)) continue
        changes.push({ ...change, cursor: encodeToken(core, feed, { ...next }) })
        if (changes.length === limit) return { changes, end: next }
      }
      place = { after: transaction.cursor, skip: 0 }
    }
  }
}

function placeOf(core: Core, after: string | undefined): Place {
  return after === undefined ? { after: null, skip: 0 } : decodeToken(core, after, feed, placeSchema())
}

export const changes = defineVerb({
  name: 'changes',
  summary: 'Show what changed after a cursor, in order.',
  positional: [],
  input: () => z.strictObject({ after: cursorField(), limit: limitField(), ...readOptions }),
  writes: false,
  whole: true,
  example: 'mneme changes --user ann --limit 20',
  async run({ core, access }, input): Promise<{ readonly changes: readonly Change[]; readonly cursor: string }> {
    const scope = readScope(access, input)
    const start = placeOf(core, input.after)
    const found = await readChanges(core, scope, start, limitOf(input.limit, defaultLimit), input.signal)
    const last = found.changes.at(-1)?.cursor
    // In a view a cursor moves with what the view sees only: else it would tell that somebody else wrote.
    const end = access.ceiling
      ? (last ?? encodeToken(core, feed, { ...start }))
      : encodeToken(core, feed, { ...found.end })
    return { changes: found.changes, cursor: end }
  },
})

/** Whichever comes first: a commit of this engine, a look at what other processes did, or the end. */
async function pause(committed: Promise<void>, end: AbortSignal): Promise<void> {
  if (end.aborted) return
  let stop = () => {}
  const waited = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, pollMs)
    stop = () => {
      clearTimeout(timer)
      resolve()
    }
    end.addEventListener('abort', stop, { once: true })
  })
  await Promise.race([committed, waited])
  stop()
  end.removeEventListener('abort', stop)
}

export const watch = defineVerb({
  name: 'watch',
  summary: 'Show changes as they come, until interrupted.',
  positional: [],
  input: () => z.strictObject({ after: cursorField(), ...readOptions }),
  writes: false,
  streams: true,
  example: 'mneme watch --user ann -o jsonl',
  run({ core, access }, input): AsyncIterable<Change> {
    const scope = readScope(access, input)
    const given = input.after === undefined ? undefined : placeOf(core, input.after)
    const end = input.signal ? AbortSignal.any([input.signal, core.closing]) : core.closing
    return (async function* follow(): AsyncGenerator<Change> {
      let place: Place = given ?? { after: await core.store.head(), skip: 0 }
      while (!end.aborted) {
        const next = core.committed.next()
        const found = await readChanges(core, scope, place, 1000)
        place = found.end
        yield* found.changes
        if (found.changes.length === 0) await pause(next, end)
      }
    })()
  },
})
