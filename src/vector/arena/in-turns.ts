import { setImmediate } from 'node:timers/promises'

/** Longest stretch without giving other work of the process a turn. */
const sliceMilliseconds = 2

/** Work in small pieces: it yields wherever it may be interrupted, and ends with its result. */
export type Work<T> = Generator<undefined, T, undefined>

export interface TurnOptions {
  readonly signal?: AbortSignal | undefined
  /** Gives other work a turn. @default setImmediate */
  readonly pause?: (() => Promise<void>) | undefined
}

/** Runs work to its end, with a pause about every two milliseconds; at once when it is shorter. @throws `signal.reason` when aborted */
export async function inTurns<T>(work: Work<T>, options: TurnOptions = {}): Promise<T> {
  const turn = turns(options)
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value
    if (turn.isOver) await turn.pause()
  }
}

/** For work that can't be written as steps: to be asked between its pieces. */
export function turns(options: TurnOptions = {}): Turns {
  return new Turns(options)
}

/** A class, because making an object with a getter takes microseconds, and every write makes several. */
class Turns {
  readonly #options: TurnOptions
  #start = performance.now()

  constructor(options: TurnOptions) {
    this.#options = options
  }

  get isOver(): boolean {
    return performance.now() - this.#start >= sliceMilliseconds
  }

  async pause(): Promise<void> {
    const { signal, pause = setImmediate } = this.#options
    await pause()
    signal?.throwIfAborted()
    this.#start = performance.now()
  }
}

/** Lets one at a time through, in the order of arrival; at once when nobody is inside. */
export class Turnstile {
  #inside: Promise<void> | null = null

  get isBusy(): boolean {
    return this.#inside !== null
  }

  async hold<T>(run: () => Promise<T>): Promise<T> {
    while (this.#inside !== null) await this.#inside
    let leave: () => void = () => undefined
    this.#inside = new Promise((resolve) => {
      leave = resolve
    })
    try {
      return await run()
    } finally {
      this.#inside = null
      leave()
    }
  }
}
