import type { StoreDegradation } from '../../contract/index.ts'
import { errorTraits, MnemeError } from '../../errors/index.ts'

/** What the error says, where a server or the set-up is at fault; others may name what another call wrote. */
export function reasonOf(error: unknown): string | null {
  return MnemeError.is(error) && errorTraits[error.code].status >= 500 ? error.message : null
}

/** Tells whoever opened the store what was done without, and why. Who does not listen is given no answer that lacks something. */
export interface Reports {
  listener: ((degradation: StoreDegradation) => void) | undefined
  /** @param message true of reads and writes alike: a write looks things up as well */
  tell(stage: StoreDegradation['stage'], error: unknown, message: string): void
}

export function reports(): Reports {
  return {
    listener: undefined,
    tell(stage, error, message) {
      const code = MnemeError.is(error) ? error.code : 'BACKEND_FAILED'
      const reason = reasonOf(error)
      this.listener?.({ stage, code, message: reason === null ? message : `${message} ${reason}` })
    },
  }
}
