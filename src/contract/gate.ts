import { storeClosed } from './conflicts.ts'
import type { OperationOptions } from './embedder.ts'

/** Lets calls in while something is open, and waits for them when it closes: what all stores promise of `open` and `close`. */
export interface Gate<Session = void> {
  /** One opening at a time, after a close in hand; a failed one is forgotten. */
  open(options: OperationOptions | undefined, start: () => Promise<Session>): Promise<void>
  /** Runs on what is open, or is being opened. @throws ClosedError ENGINE_CLOSED */
  run<T>(options: OperationOptions | undefined, work: (session: Session) => Promise<T>): Promise<T>
  /** Lets nothing in any more, waits for the calls in hand, and then ends what was open. */
  close(end: (session: Session) => Promise<void>): Promise<void>
}

/** @param name of the store, for messages */
export function createGate<Session = void>(name: string): Gate<Session> {
  let current: { readonly session: Promise<Session>; readonly inHand: Set<Promise<unknown>> } | null = null
  /** The last close: what is opened next waits for its end, however it ended. */
  let closed: Promise<void> = Promise.resolve()

  return {
    async open(options, start) {
      options?.signal?.throwIfAborted()
      current ??= { session: closed.then(start, start), inHand: new Set() }
      const mine = current
      try {
        await mine.session
      } catch (error) {
        if (current === mine) current = null
        throw error
      }
    },
    async run(options, work) {
      options?.signal?.throwIfAborted()
      if (current === null) throw storeClosed(name)
      const { session, inHand } = current
      const mine = session.then(work)
      const settled = mine.catch(() => undefined)
      inHand.add(settled)
      try {
        return await mine
      } finally {
        inHand.delete(settled)
      }
    },
    async close(end) {
      if (current !== null) {
        const { session, inHand } = current
        current = null
        closed = session.then(
          async (opened) => {
            await Promise.all(inHand)
            await end(opened)
          },
          // What failed to open need not be ended.
          () => undefined,
        )
      }
      await closed
    },
  }
}
