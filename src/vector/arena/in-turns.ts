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
export function turns({ signal, pause = setImmediate }: TurnOptions = {}): {
  readonly isOver: boolean
  pause(): Promise<void>
} {
  let start = performance.now()
  return {
    get isOver() {
      return performance.now() - start >= sliceMilliseconds
    },
    async pause() {
      await pause()
      signal?.throwIfAborted()
      start = performance.now()
    },
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
