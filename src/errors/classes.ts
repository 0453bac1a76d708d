import { MnemeError } from './mneme-error.ts'

/** The caller passed something that can't be used. Nothing was written. */
export class InputError extends MnemeError {}
/** The named record does not exist, or is not visible in the scope of the call. */
export class NotFoundError extends MnemeError {}
/** The call lost against another change, or contradicts what is stored. */
export class ConflictError extends MnemeError {}
/** The installation, configuration or file can't be used as it is. */
export class SetupError extends MnemeError {}
/** The store failed, is unreachable, or took too long. */
export class BackendError extends MnemeError {}
/** The embedder failed or returned something unusable. */
export class EmbedderError extends MnemeError {}
/** The language model failed or answered something unusable. */
export class ModelError extends MnemeError {}
/** The engine was closed. */
export class ClosedError extends MnemeError {}
