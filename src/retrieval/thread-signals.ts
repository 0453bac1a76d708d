import type { Candidate } from './candidate.ts'
import { shapeFlag } from './shape.ts'

/** `Thread` names them one by one. */
const THREAD_BEST = 3
const FIRST_TURNS = 2

type ThreadSignal =
  | 'previous'
  | 'next'
  | 'secondPrevious'
  | 'secondNext'
  | 'previousQuestion'
  | 'threadMean'
  | 'threadBest'
  | 'opensThread'

/** What the other turns of its thread say of a candidate. @param column makes a column of zeros */
export function threadSignals(
  candidates: readonly Candidate[],
  base: Float64Array,
  column: () => Float64Array,
): { readonly [Name in ThreadSignal]: Float64Array } {
  const previous = column()
  const next = column()
  const secondPrevious = column()
  const secondNext = column()
  const previousQuestion = column()
  const opensThread = column()
  const threadMean = column()
  const threadBest = column()
  threadMean.set(base)
  threadBest.set(base)
  const follow = (i: number, before: number): void => {
    if (before < 0) return
    const distance = candidates[i]!.position - candidates[before]!.position
    if (distance === 1) {
      previous[i] = base[before]!
      next[before] = base[i]!
      if (shapeFlag(candidates[before]!.shape, 'hasQuestionMark') === 1) previousQuestion[i] = base[before]!
    } else if (distance === 2) {
      secondPrevious[i] = base[before]!
      secondNext[before] = base[i]!
    }
  }
  const threads = new Map<string, Thread>()
  const threadOf = new Array<Thread | undefined>(candidates.length)
  const order = inOrder(candidates)
  for (let turn = 0; turn < order.length; turn++) {
    const i = order[turn]!
    const { thread: name, position } = candidates[i]!
    let thread = threads.get(name as string)
    if (thread === undefined) {
      thread = new Thread()
      threads.set(name as string, thread)
    }
    threadOf[i] = thread
    if (position < FIRST_TURNS) opensThread[i] = 1
    // Turns come in their order: those before are the last two, at most.
    follow(i, thread.last)
    follow(i, thread.secondLast)
    thread.add(i, position, base[i]!)
  }
  for (let i = 0; i < candidates.length; i++) {
    const thread = threadOf[i]
    if (thread === undefined) continue
    threadMean[i] = thread.mean
    threadBest[i] = thread.best
  }
  return { previous, next, secondPrevious, secondNext, previousQuestion, threadMean, threadBest, opensThread }
}

/** The candidates that are turns, as places, in the order of their positions. */
function inOrder(candidates: readonly Candidate[]): Float64Array {
  // Numbers that hold a position and a place: sorted without a function that compares, which takes a tenth of the time.
  const count = candidates.length
  const order = new Float64Array(count)
  let turns = 0
  for (let i = 0; i < count; i++) {
    const candidate = candidates[i]!
    if (candidate.thread !== null) order[turns++] = candidate.position * count + i
  }
  const sorted = order.subarray(0, turns).sort()
  for (let i = 0; i < turns; i++) sorted[i]! %= count
  return sorted
}

/** The turns of a thread that are candidates, as far as they have come. */
class Thread {
  /** Places of the last two; -1 for none. */
  last = -1
  secondLast = -1
  #count = 0
  #position = 0
  #first = 0
  #second = 0
  #third = 0

  add(place: number, position: number, base: number): void {
    this.secondLast = this.last
    this.last = place
    this.#count++
    this.#position = position
    if (base > this.#first) {
      this.#third = this.#second
      this.#second = this.#first
      this.#first = base
    } else if (base > this.#second) {
      this.#third = this.#second
      this.#second = base
    } else if (base > this.#third) this.#third = base
  }

  get best(): number {
    return this.#first
  }

  /** Of the three best. Turns that are no candidates count 0; how many there are is known up to the last candidate. */
  get mean(): number {
    const turns = Math.max(this.#count, this.#position + 1)
    return (this.#first + this.#second + this.#third) / Math.min(THREAD_BEST, turns)
  }
}
