import {
  BackendError,
  ClosedError,
  ConflictError,
  EmbedderError,
  InputError,
  ModelError,
  NotFoundError,
  SetupError,
} from './classes.ts'
import type { ErrorCode } from './codes.ts'
import { errorTraits } from './codes.ts'
import type { MnemeError, MnemeErrorInit } from './mneme-error.ts'

const classes: Readonly<Record<number, new (init: MnemeErrorInit) => MnemeError>> = {
  2: InputError,
  3: NotFoundError,
  4: ConflictError,
  5: SetupError,
  6: BackendError,
  7: EmbedderError,
  8: ClosedError,
  9: ModelError,
}

/** The error of the class that a code belongs to: who must act decides the class, and with it the exit code. */
export function errorFor(init: MnemeErrorInit): MnemeError {
  const code: ErrorCode = init.code
  const ErrorClass = classes[errorTraits[code].exit] ?? InputError
  return new ErrorClass(init)
}
