import type { TextHit, VectorHit } from '../../contract/index.ts'
import type { IndexState } from './index-state.ts'

/** A hit that reads its id when it is asked for: most are candidates and never shown, and an id costs more than a score. */
export class SlotHit implements TextHit, VectorHit {
  readonly score: number
  readonly #state: IndexState
  readonly #slot: number

  constructor(state: IndexState, slot: number, score: number) {
    this.score = score
    this.#state = state
    this.#slot = slot
  }

  get id(): string {
    return this.#state.idOf(this.#slot)
  }

  get cosine(): number {
    return this.score
  }

  /** The slot that was found, which may be dead by now; undefined for one of another state. */
  slotIn(state: IndexState): number | undefined {
    return this.#state === state ? this.#slot : undefined
  }
}
