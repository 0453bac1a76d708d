import {
  type Cursor,
  type Gate,
  type LogPage,
  type MemoryStore,
  type OperationOptions,
  type ReadOptions,
  spacesOf,
} from '../../contract/index.ts'
import { allScopes, anyOf, exactly } from '../../model/index.ts'
import type { Answers } from './answers.ts'
import { type ColdSide, isAway } from './cold-side.ts'
import type { HotSide } from './hot-side.ts'
import type { Reports } from './reports.ts'
import { countHeld, holdersHeld, isMarked, listHeld, logHeld, markedPlace, unmarkedPlace } from './while-away.ts'

export interface ReadParts {
  readonly door: Gate
  readonly answers: Answers
  readonly cold: ColdSide
  readonly hot: HotSide
  readonly reports: Reports
}

/** A place that was given out while the cold store was away is the one before it there. */
export function past<T extends ReadOptions>(given: T | undefined): T | undefined {
  if (given?.asOf === undefined || !('position' in given.asOf) || !isMarked(given.asOf.position)) return given
  const position = unmarkedPlace(given.asOf.position)
  return { ...given, asOf: position === null ? undefined : { position } }
}

/** A page that goes on is of the state of its first one, which is the last that is known while the cold store is away. */
function isPresent(call: ReadOptions | undefined): boolean {
  return call?.asOf === undefined || 'position' in call.asOf
}

/** What the hot tier can say something of. */
function readsOfRecords({
  door,
  answers: { orHeld },
}: ReadParts): Pick<MemoryStore, 'list' | 'stats' | 'holders' | 'vectorSpaces'> {
  return {
    list: (scope, query, call) =>
      door.run(call, () =>
        orHeld(
          scope,
          (behindIt) => behindIt.list(scope, query, past(call)),
          (entries) => listHeld(entries, scope, query),
          query.hash === undefined && isPresent(past(call)),
        ),
      ),
    stats: (scope, query, call) =>
      door.run(call, () =>
        orHeld(
          scope,
          (behindIt) => behindIt.stats(scope, query, past(call)),
          (entries) => countHeld(entries, scope, query),
          isPresent(call),
        ),
      ),
    holders: (claims, call) =>
      door.run(call, () =>
        orHeld(
          anyOf(claims.map((claim) => exactly(claim.scope))),
          (behindIt) => behindIt.holders(claims, call),
          (entries) => holdersHeld(entries, claims),
        ),
      ),
    vectorSpaces: (call) =>
      door.run(call, () =>
        orHeld(
          allScopes(),
          (behindIt) => behindIt.vectorSpaces(call),
          (entries) => spacesOf(entries.map(({ vector }) => vector)),
        ),
      ),
  }
}

/** The log, whose end is remembered for when the cold store is away. */
function readsOfLog({ door, answers: { orHeld, orNothing } }: ReadParts): Pick<MemoryStore, 'log' | 'head'> {
  /** The end of the log as it was last known, and how far late vectors had come. */
  let place: Cursor | null = null
  let derived = ''

  async function log(after: Cursor | null, given: Parameters<MemoryStore['log']>[1]): Promise<LogPage> {
    const page = await orHeld(
      allScopes(),
      (behindIt) => behindIt.log(unmarkedPlace(after), given),
      (entries) => logHeld(entries, after, derived),
    )
    if (page.entries.length === 0 && !isMarked(page.cursor)) place = page.cursor
    derived = page.derived
    return page
  }

  async function head(call: OperationOptions | undefined): Promise<Cursor> {
    const end = await orNothing(
      (behindIt) => behindIt.head(call),
      () => markedPlace(place),
    )
    if (!isMarked(end)) place = end
    return end
  }

  return {
    log: (after, call) => door.run(call, () => log(after, call)),
    head: (call) => door.run(call, () => head(call)),
  }
}

/** Every read but that of single records: the cold store answers while it can. */
export function readsOf(
  parts: ReadParts,
): Pick<
  MemoryStore,
  | 'list'
  | 'stats'
  | 'holders'
  | 'vectorSpaces'
  | 'log'
  | 'head'
  | 'vectorsOf'
  | 'revisions'
  | 'secret'
  | 'usedKey'
  | 'transaction'
  | 'links'
  | 'journal'
  | 'journalEnds'
  | 'verify'
> {
  const {
    door,
    answers: { orNothing },
    cold,
    hot,
    reports,
  } = parts

  async function vectorsOf(ids: readonly string[], call: OperationOptions | undefined) {
    try {
      return await cold.run((behindIt) => behindIt.vectorsOf(ids, call))
    } catch (error) {
      if (!isAway(error) || reports.listener === undefined) throw error
      const answers = await hot.get(allScopes(), ids)
      if (answers === null) throw error
      reports.tell('cold', error, 'The cold store is away: vectors that the hot tier does not hold were not compared.')
      return answers.map((answer) => (answer.state === 'hit' ? answer.stored.vector : null))
    }
  }

  return {
    ...readsOfRecords(parts),
    ...readsOfLog(parts),
    vectorsOf: (ids, call) => door.run(call, () => vectorsOf(ids, call)),
    revisions: (scope, id, call) => door.run(call, () => cold.run((behindIt) => behindIt.revisions(scope, id, call))),
    secret: (call) => door.run(call, () => cold.run((behindIt) => behindIt.secret(call))),
    usedKey: (scope, key, query, call) =>
      door.run(call, () =>
        orNothing(
          (behindIt) => behindIt.usedKey(scope, key, query, call),
          () => null,
        ),
      ),
    transaction: (id, call) => door.run(call, () => cold.run((behindIt) => behindIt.transaction(id, call))),
    links: (scope, ids, call) =>
      door.run(call, () =>
        orNothing(
          (behindIt) => behindIt.links(scope, ids, past(call)),
          () => [],
        ),
      ),
    journal: (scope, query, call) => door.run(call, () => cold.run((behindIt) => behindIt.journal(scope, query, call))),
    journalEnds: (call) => door.run(call, () => cold.run((behindIt) => behindIt.journalEnds(call))),
    verify: (call) => door.run(call, () => cold.run((behindIt) => behindIt.verify(call))),
  }
}
