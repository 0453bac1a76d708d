import type { StoreDegradation } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'

/** Tells whoever opened the store what an answer lacks. Who does not listen is given no answer that lacks something. */
export interface Reports {
  listener: ((degradation: StoreDegradation) => void) | undefined
  tell(stage: StoreDegradation['stage'], error: unknown, message: string): void
}

export function reports(): Reports {
  return {
    listener: undefined,
    tell(stage, error, message) {
      const code = MnemeError.is(error) ? error.code : 'BACKEND_FAILED'
      this.listener?.({ stage, code, message })
    },
  }
}
