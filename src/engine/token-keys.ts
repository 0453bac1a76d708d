import { randomBytes } from 'node:crypto'
import { MnemeError } from '../errors/index.ts'
import { tokenKey } from './tokens.ts'

/** What cursors are sealed with. */
export interface TokenKeys {
  readonly current: Uint8Array
  /** Those that cursors may be of, the likeliest first. */
  readonly all: readonly Uint8Array[]
}

/**
 * The store's own key. Where the layer that has it is away, cursors are made with one of this opening, which is good for as long as
 * that lasts; the store is asked again when the next one is made.
 * @param secret asks the store
 * @param mayWait whether to go on without, where it is away
 * @param pauseMs how long it is left alone when it could not be asked
 */
export async function openTokenKeys(
  secret: () => Promise<Uint8Array>,
  mayWait: boolean,
  pauseMs = 1000,
): Promise<TokenKeys> {
  const fixed = async () => tokenKey(await secret())
  let all: readonly Uint8Array[]
  let isOwn = true
  try {
    all = [await fixed()]
  } catch (error) {
    const isAway = MnemeError.is(error, 'BACKEND_UNAVAILABLE') || MnemeError.is(error, 'BACKEND_TIMEOUT')
    if (!mayWait || !isAway) throw error
    all = [randomBytes(32)]
    isOwn = false
  }
  let asked = performance.now()
  function askAgain(): void {
    if (isOwn || performance.now() - asked < pauseMs) return
    asked = performance.now()
    fixed().then(
      (key) => {
        if (!isOwn) all = [key, ...all]
        isOwn = true
      },
      // Still away: the next cursor asks again.
      () => undefined,
    )
  }
  return {
    get current() {
      askAgain()
      return all[0] as Uint8Array
    },
    get all() {
      askAgain()
      return all
    },
  }
}
