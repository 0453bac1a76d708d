import type { AsyncLocalStorage } from 'node:async_hooks'
import type { MemoryEngine, MemoryView } from '../engine/index.ts'
import { InputError, SetupError } from '../errors/index.ts'
import type { Scope } from '../model/index.ts'
import { checkedOptions } from './checked-options.ts'

/** What a run works with. */
export interface MemoryRun {
  readonly engine: Pick<MemoryEngine, 'scoped'>
  /** A ceiling: nothing outside of it is reached in the run. */
  readonly scope: Scope
}

export interface MemoryContext {
  /**
   * Runs a function with the memory of a run: `current()` is that of the run in everything it calls, after every await and
   * in timers too, and in nothing else. Runs inside of runs have their own. Answers what the function answers.
   * @throws InputError INVALID_ARGUMENT for what is no engine, INVALID_SCOPE; SetupError BAD_CONFIG where there is no AsyncLocalStorage
   */
  run<T>(run: MemoryRun, work: () => T): T
  /** The view of the run that the caller is in; null outside of any. */
  current(): MemoryView | null
}

type Storage = AsyncLocalStorage<MemoryView>

let storage: Storage | undefined

/** Reached when a run begins, so that importing the package stays light and works where there is no such module. */
function storageOf(): Storage {
  if (storage) return storage
  const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
  if (!hooks) {
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: 'memoryContext needs AsyncLocalStorage, which this runtime has not got. Hand the view on by yourself.',
    })
  }
  storage = new hooks.AsyncLocalStorage()
  return storage
}

/** The memory of the run that code is in, without handing it on: concurrent runs are never mixed (CTX-1). */
export const memoryContext: MemoryContext = {
  run(run, work) {
    const { engine, scope } = checkedOptions('memoryContext.run', run, ['engine', 'scope'])
    if (typeof engine?.scoped !== 'function') {
      const message = 'memoryContext.run: engine must be a memory. Give what openMemory answers.'
      throw new InputError({ code: 'INVALID_ARGUMENT', message })
    }
    return storageOf().run(engine.scoped(scope), work)
  },
  current: () => storage?.getStore() ?? null,
}
