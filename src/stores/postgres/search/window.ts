import type { SearchWindow } from '../../../contract/index.ts'
import { type Lifetimes, statuses } from '../../../model/index.ts'
import { encodeName } from '../names.ts'
import type { Parameters } from '../parameters.ts'
import { statusNumber } from './index-rows.ts'
import type { ScopeNumbers } from './known-scopes.ts'

/** What a read may see, in numbers. */
export interface Visible {
  /** Null: all there are. */
  readonly scopes: readonly number[] | null
  /** Those of sessions, whose records are turns. Null: all there are. */
  readonly threads: readonly number[] | null
  /** Whose they are, where tables are parted by that: only their parts are looked at then. Null: it makes no difference. */
  readonly owners: readonly number[] | null
  /** Null: all there are. */
  readonly statuses: readonly number[] | null
  readonly now: number
  /** Only where something ends by them. */
  readonly lifetimes: Lifetimes | undefined
}

/** Records that end by the lifetime of their kind are in no count. */
function limiting(lifetimes: Lifetimes | undefined): Lifetimes | undefined {
  if (lifetimes === undefined) return undefined
  const all = [...lifetimes.byKind.values(), lifetimes.others]
  return all.every((lifetime) => lifetime === Number.POSITIVE_INFINITY) ? undefined : lifetimes
}

export function visibleIn(
  scopes: ScopeNumbers | null,
  window: Pick<SearchWindow, 'statuses' | 'now' | 'lifetimes'>,
  partitions: number,
): Visible {
  const wanted = [...new Set(window.statuses.map(statusNumber))]
  return {
    scopes: scopes?.all ?? null,
    threads: scopes?.sessions ?? null,
    owners: partitions === 0 ? null : (scopes?.owners ?? null),
    statuses: wanted.length === statuses.length ? null : wanted,
    now: window.now,
    lifetimes: limiting(window.lifetimes),
  }
}

/** Nothing can be seen. */
export function isBlind({ scopes, statuses: wanted }: Visible): boolean {
  return scopes?.length === 0 || wanted?.length === 0
}

/** SQL, to stand behind a condition, for whose a row of any of the tables is: it says which parts there are to look at. */
export function andOwners({ owners }: Visible, alias: string, parameters: Parameters): string {
  if (owners === null) return ''
  const [only] = owners
  return owners.length === 1
    ? ` AND ${alias}.owner = ${parameters.add(only)}::bigint`
    : ` AND ${alias}.owner = ANY (${parameters.add(owners)}::bigint[])`
}

/** SQL for scope and status of a row of any of the tables. */
export function placeCondition(visible: Visible, alias: string, parameters: Parameters): string {
  const { scopes, statuses: wanted } = visible
  const all: string[] = []
  if (scopes !== null) {
    const [only] = scopes
    all.push(
      scopes.length === 1
        ? `${alias}.scope = ${parameters.add(only)}::bigint`
        : `${alias}.scope = ANY (${parameters.add(scopes)}::bigint[])`,
    )
  }
  if (wanted !== null) {
    const [only] = wanted
    all.push(
      wanted.length === 1
        ? `${alias}.status = ${parameters.add(only)}::smallint`
        : `${alias}.status = ANY (${parameters.add(wanted)}::smallint[])`,
    )
  }
  return (all.length === 0 ? 'true' : all.join(' AND ')) + andOwners(visible, alias, parameters)
}

/** SQL for what has not outlived its kind, of a row of `{searched}`. */
function livesOn({ byKind, others }: Lifetimes, now: number, alias: string, parameters: Parameters): string {
  const lifetime = (value: number) =>
    value === Number.POSITIVE_INFINITY ? 'NULL::bigint' : `${parameters.add(value)}::bigint`
  const cases = [...byKind].map(
    ([kind, value]) => `WHEN ${parameters.add(encodeName(kind))}::text THEN ${lifetime(value)}`,
  )
  const ends =
    cases.length === 0 ? lifetime(others) : `CASE ${alias}.kind ${cases.join(' ')} ELSE ${lifetime(others)} END`
  return `(${alias}.pinned OR COALESCE(${alias}.created_at + ${ends} > ${parameters.add(now)}::bigint, true))`
}

/** SQL for what is not expired, of a row of `{searched}`. */
export function rowLives({ now, lifetimes }: Visible, alias: string, parameters: Parameters): string {
  const own = `(${alias}.expires_at IS NULL OR ${alias}.expires_at > ${parameters.add(now)}::bigint)`
  return lifetimes === undefined ? own : `${own} AND ${livesOn(lifetimes, now, alias, parameters)}`
}

/** The same of a row of `{postings}` or `{units}`, which know less. */
export function entryLives(visible: Visible, alias: string, parameters: Parameters): string {
  const { now, lifetimes } = visible
  const own = `(${alias}.expires_at IS NULL OR ${alias}.expires_at > ${parameters.add(now)}::bigint)`
  if (lifetimes === undefined) return own
  const lives = livesOn(lifetimes, now, 'l', parameters)
  return `${own} AND (SELECT ${lives} FROM {searched} l WHERE l.num = ${alias}.num${andOwners(visible, 'l', parameters)})`
}

/** SQL for all that a row of `{searched}` has to be to be seen. */
export function rowIsVisible(visible: Visible, alias: string, parameters: Parameters): string {
  return `${placeCondition(visible, alias, parameters)} AND ${rowLives(visible, alias, parameters)}`
}

/** What of the visible records is in no count: an additional condition on rows of `{searched}`. */
export function isUncounted({ lifetimes }: Visible, alias: string): string {
  return lifetimes === undefined ? `${alias}.expires_at IS NOT NULL` : 'true'
}

/** True where counts are of use at all. */
export function isCounted({ lifetimes }: Visible): boolean {
  return lifetimes === undefined
}
