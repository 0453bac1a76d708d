import type { SearchWindow } from '../../contract/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { type IndexState, statusMask } from './index-state.ts'
import type { Actor } from './indexed-record.ts'

const KEPT = 16

/** The records that a read may see, with their statistics: those of exactly this set and of nothing else. */
export interface Visible {
  /** Ascending. */
  readonly slots: Uint32Array
  readonly scopes: ReadonlySet<number>
  readonly mask: number
  readonly now: number
  /** The set is the same at every moment of `[since, until)`. */
  readonly since: number
  readonly until: number
  /** Records that have terms, and the sum of their lengths. */
  readonly documents: number
  readonly lengths: number
  /** Distinct terms of each record, added up; the same of tokens, and records that have tokens. */
  readonly termEntries: number
  readonly tokenEntries: number
  readonly tokenRecords: number
  /** Worked out when first asked for. */
  readonly known: {
    marks?: Uint8Array
    readonly termFrequencies: Map<number, number>
    readonly tokenFrequencies: Map<number, number>
    /** By scope number: the turns of that thread in their order. */
    readonly threads: Map<number, ReadonlyMap<number, number>>
    actors?: readonly Actor[]
  }
}

/** What a window may see of a scope. Kinds and `only` narrow results, not what is visible. */
export function visibleTo(state: IndexState, filter: ScopeFilter, window: SearchWindow): Visible {
  const mask = statusMask(window.statuses)
  const filterKey = JSON.stringify(filter.rules)
  const key = `${mask}${filterKey}`
  const known = state.visible.get(key)
  if (known !== undefined && window.now >= known.since && window.now < known.until) return known
  const made = collect(state, state.scopes.matching(filter, filterKey), mask, window.now)
  if (state.visible.size >= KEPT) state.visible.clear()
  state.visible.set(key, made)
  return made
}

/** True when the slot of a record belongs to the set. */
export function isVisible(state: IndexState, visible: Visible, slot: number): boolean {
  return (
    (state.status[slot]! & visible.mask) !== 0 &&
    state.expiresAt[slot]! > visible.now &&
    visible.scopes.has(state.scope[slot]!)
  )
}

/** 1 for every slot of the set. */
export function marksOf(state: IndexState, visible: Visible): Uint8Array {
  if (visible.known.marks !== undefined) return visible.known.marks
  const marks = new Uint8Array(state.count)
  for (const slot of visible.slots) marks[slot] = 1
  visible.known.marks = marks
  return marks
}

function collect(state: IndexState, scopes: readonly number[], mask: number, now: number): Visible {
  const { status, expiresAt, length, terms, tokens } = state
  const slots = new Uint32Array(scopes.reduce((sum, scope) => sum + state.scopes.slots[scope]!.length, 0))
  let count = 0
  let since = Number.NEGATIVE_INFINITY
  let until = Number.POSITIVE_INFINITY
  let documents = 0
  let lengths = 0
  let termEntries = 0
  let tokenEntries = 0
  let tokenRecords = 0
  for (const scope of scopes) {
    const inScope = state.scopes.slots[scope]!
    for (let i = 0; i < inScope.length; i++) {
      const slot = inScope[i]!
      if ((status[slot]! & mask) === 0) continue
      const expires = expiresAt[slot]!
      if (expires <= now) {
        if (expires > since) since = expires
        continue
      }
      if (expires < until) until = expires
      slots[count++] = slot
      const termCount = terms.rowLength(slot)
      if (termCount > 0) {
        documents++
        lengths += length[slot]!
        termEntries += termCount
      }
      const tokenCount = tokens.rowLength(slot)
      if (tokenCount > 0) {
        tokenRecords++
        tokenEntries += tokenCount
      }
    }
  }
  const found = slots.subarray(0, count)
  // One order whatever the scopes: that of the log.
  if (scopes.length > 1) found.sort()
  return {
    slots: found,
    scopes: new Set(scopes),
    mask,
    now,
    since,
    until,
    documents,
    lengths,
    termEntries,
    tokenEntries,
    tokenRecords,
    known: { termFrequencies: new Map(), tokenFrequencies: new Map(), threads: new Map() },
  }
}
