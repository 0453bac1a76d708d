import { type OpenOptions, type OperationOptions, storeClosed } from '../../contract/index.ts'

/** Lets calls in while a store is open, and waits for them when it closes. */
export interface Gate {
  /** One opening at a time; a failed one is forgotten. */
  open(options: OpenOptions | undefined, start: () => Promise<void>): Promise<void>
  /** Waits for the calls in hand; then it ends. */
  close(end: () => Promise<void>): Promise<void>
  run<T>(options: OperationOptions | undefined, work: () => Promise<T>): Promise<T>
}

export function gate(name: string): Gate {
  let opened: Promise<void> | null = null
  let closing: Promise<void> | null = null
  let isOpen = false
  const inHand = new Set<Promise<unknown>>()

  return {
    async open(options, start) {
      options?.signal?.throwIfAborted()
      await closing
      opened ??= start().then(
        () => {
          isOpen = true
        },
        (error: unknown) => {
          opened = null
          throw error
        },
      )
      await opened
    },
    async close(end) {
      closing ??= (async () => {
        await opened?.catch(() => undefined)
        isOpen = false
        await Promise.allSettled([...inHand])
        await end()
      })().finally(() => {
        opened = null
        closing = null
      })
      await closing
    },
    async run(options, work) {
      options?.signal?.throwIfAborted()
      if (!isOpen) throw storeClosed(name)
      const mine = work()
      inHand.add(mine)
      try {
        return await mine
      } finally {
        inHand.delete(mine)
      }
    },
  }
}
