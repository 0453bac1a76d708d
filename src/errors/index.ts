export {
  BackendError,
  ClosedError,
  ConflictError,
  EmbedderError,
  InputError,
  ModelError,
  NotFoundError,
  SetupError,
} from './classes.ts'
export { type ErrorCode, type ErrorTraits, errorTraits } from './codes.ts'
export { errorFor } from './error-for.ts'
export { type ErrorDetails, MnemeError, type MnemeErrorInit } from './mneme-error.ts'
