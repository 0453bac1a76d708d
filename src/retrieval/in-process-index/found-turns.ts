import type { Found, TextHit, Turn, VectorHit } from '../../contract/index.ts'
import { type Columns, withRoom } from './columns.ts'
import type { IndexState } from './index-state.ts'
import { SlotHit } from './slot-hit.ts'
import { placeOf } from './slots.ts'
import type { VisibleSet } from './visible-set.ts'

const noTokens: readonly number[] = []

// Shared by all searches: nothing awaits while it is in use.
/** By slot: the how manieth of what was found it is; zeros between two uses. */
let numbers = new Uint32Array(0)

/** The visible ones of what was found, each once. What a search works out of them is in columns: most are never shown. */
export class FoundTurns {
  readonly turns: Turn[] = []
  readonly slots: number[] = []
  /** NaN where it is not known yet. */
  readonly bm25: Float64Array
  /** NaN where it is not known, or there is none. */
  readonly cosines: Float64Array
  readonly #keyed: Uint8Array
  readonly #state: IndexState
  readonly #visible: VisibleSet
  readonly #withTokens: boolean

  constructor(state: IndexState, visible: VisibleSet, found: Found, withTokens: boolean) {
    this.#state = state
    this.#visible = visible
    this.#withTokens = withTokens
    const { text = [], near = [] } = found
    const keyed = [...(found.keyed ?? [])]
    const most = keyed.length + text.length + near.length
    this.bm25 = new Float64Array(most).fill(Number.NaN)
    this.cosines = new Float64Array(most).fill(Number.NaN)
    this.#keyed = new Uint8Array(most)
    numbers = withRoom(numbers, state.end)
    for (const id of keyed) this.#mark(this.#keyed, state.slotOf(id), 1)
    for (const hit of text) this.#mark(this.bm25, this.#slotOf(hit), hit.score)
    for (const hit of near) this.#mark(this.cosines, this.#slotOf(hit), hit.cosine)
    for (const slot of this.slots) numbers[slot] = 0
  }

  isKeyed(place: number): boolean {
    return this.#keyed[place] === 1
  }

  #mark(column: Float64Array | Uint8Array, slot: number | undefined, value: number): void {
    if (slot === undefined || !this.#visible.has(slot)) return
    if (numbers[slot] === 0) {
      numbers[slot] = this.slots.push(slot)
      this.turns.push(new IndexedTurn(this, this.slots.length - 1, this.#state, this.#visible, this.#withTokens))
    }
    column[numbers[slot]! - 1] = value
  }

  #slotOf(hit: TextHit | VectorHit): number | undefined {
    const slot = hit instanceof SlotHit ? hit.slotIn(this.#state) : undefined
    // What has changed since it was found is described as it is now.
    return slot !== undefined && this.#state.lives(slot) ? slot : this.#state.slotOf(hit.id)
  }
}

/** A turn that is read where it is kept when it is asked for: a slot is written once. */
class IndexedTurn implements Turn {
  readonly tokens: readonly number[]
  /** Null for a record that is no turn. */
  readonly #position: number | null
  readonly #found: FoundTurns
  readonly #at: number
  readonly #state: IndexState
  readonly #columns: Columns
  readonly #place: number

  constructor(found: FoundTurns, at: number, state: IndexState, { threads }: VisibleSet, withTokens: boolean) {
    const slot = found.slots[at]!
    const segment = state.segmentAt(slot)
    this.#found = found
    this.#at = at
    this.#state = state
    this.#columns = segment.columns
    this.#place = placeOf(slot)
    this.#position = threads.positionOf(slot)
    this.tokens = withTokens ? segment.tokensOf(this.#place) : noTokens
  }

  get id(): string {
    return this.#state.idOf(this.#found.slots[this.#at]!)
  }

  get bm25(): number {
    return this.#found.bm25[this.#at]!
  }

  get cosine(): number | null {
    const cosine = this.#found.cosines[this.#at]!
    return Number.isNaN(cosine) ? null : cosine
  }

  get keyMatch(): boolean {
    return this.#found.isKeyed(this.#at)
  }

  get shape(): number {
    return this.#columns.shape[this.#place]!
  }

  get actor(): string | null {
    return this.#state.actors.values[this.#columns.actor[this.#place]! - 1]?.name ?? null
  }

  get thread(): string | null {
    return this.#position === null ? null : this.#state.scopes.keys[this.#columns.scope[this.#place]!]!
  }

  get position(): number {
    return this.#position ?? 0
  }

  get createdAt(): number {
    return this.#columns.moment[this.#place]! + this.#columns.createdAfter[this.#place]!
  }

  get importance(): number {
    return this.#columns.importance[this.#place]!
  }

  get reliability(): number {
    return this.#columns.reliability[this.#place]!
  }
}
