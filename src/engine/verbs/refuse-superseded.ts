import { InputError } from '../../errors/index.ts'
import type { Status } from '../../model/index.ts'

/** Only a successor makes a record superseded: without one nothing would say by what. */
export function refuseSuperseded(status: Status | undefined, what: string): void {
  if (status !== 'superseded') return
  throw new InputError({
    code: 'INVALID_RECORD',
    message: `${what}.status: a record becomes superseded through supersede, which links it to its successor.`,
    details: { path: `${what}.status` },
  })
}
