import { randomUUID } from 'node:crypto'
import type { StoreChange } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import { allScopes } from '../../model/index.ts'
import type { ColdSide } from './cold-side.ts'
import { ownPut } from './own-put.ts'

/** The record in the cold store by which processes tell each other that entries of the hot tier may be out of date. */
const wordKind = '_hot'
export const wordId = 'mneme:hot-tier'

export interface Word {
  /** 0 before the first. */
  readonly version: number
  /** Somebody could not take entries back, and nobody has emptied the hot tier since. */
  readonly unsettled: boolean
}

/** The word of all processes over one cold store. */
export interface WordOfMouth {
  read(): Promise<Word>
  /** Says that entries may be out of date. What calls at one time share a commit, which begins after the last of them. */
  leave(): Promise<void>
  /** Says that the hot tier was emptied after that word; false when another came since. */
  settle(after: Word): Promise<boolean>
}

function put(unsettled: boolean): StoreChange {
  const content = unsettled ? 'unsettled' : 'settled'
  return ownPut('update', { id: wordId, kind: wordKind, content, scope: { appId: 'mneme' }, status: 'live' })
}

export function wordOfMouth(cold: ColdSide): WordOfMouth {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null

  async function write(unsettled: boolean, after?: Word): Promise<void> {
    const requires = after === undefined ? [] : [{ type: 'version', id: wordId, is: after.version } as const]
    const transaction = { id: randomUUID(), at: Date.now(), verb: 'hot-tier', requires, changes: [put(unsettled)] }
    await cold.run((store) => store.commit(transaction))
  }

  function start(): Promise<void> {
    next = null
    const mine = write(true).finally(() => {
      if (running === mine) running = null
    })
    running = mine
    return mine
  }

  return {
    async read() {
      const [found] = await cold.run((store) => store.get(allScopes(), [wordId], { bare: true }))
      return { version: found?.record.version ?? 0, unsettled: found?.record.content === 'unsettled' }
    },
    leave() {
      if (running === null) return start()
      next ??= running.then(start, start)
      return next
    },
    async settle(after) {
      try {
        await write(false, after)
        return true
      } catch (error) {
        if (MnemeError.is(error, 'VERSION_CONFLICT')) return false
        throw error
      }
    },
  }
}
