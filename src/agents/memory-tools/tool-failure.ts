import { type ErrorCode, MnemeError } from '../../errors/index.ts'
import type { MemoryToolCode, MemoryToolResult } from './memory-tool.ts'
import { fencedLine } from './tool-text.ts'

const wrongArguments = 'Correct the arguments and call again.'
const changedMeanwhile = 'Nothing was changed. Recall what is there now before another try.'

/** What a model can do about it. Codes that are not here are about the installation, of which a model is told nothing. */
const advice: Partial<Record<ErrorCode, string>> = {
  INVALID_ARGUMENT: wrongArguments,
  INVALID_RECORD: wrongArguments,
  INVALID_TIME: wrongArguments,
  LIMIT_OUT_OF_RANGE: wrongArguments,
  UNKNOWN_FIELD: wrongArguments,
  RECORD_NOT_FOUND: 'Use an id that recall shows.',
  CONFLICT: changedMeanwhile,
  VERSION_CONFLICT: changedMeanwhile,
  SCOPE_DENIED: 'This memory can not be written here. Do not try again.',
}

export function failure(code: MemoryToolCode, message: string): MemoryToolResult {
  return { ok: false, code, text: `${code}: ${message}`, items: [] }
}

/** Our own messages never hold content; what they name of the arguments is fenced all the same. */
function fencedMessage(message: string): string {
  return fencedLine(message).slice(1, -1).replaceAll('\\"', '"')
}

/** A failure as a model is told it (TOL-5). */
export function failureOf(error: unknown): MemoryToolResult {
  if (!MnemeError.is(error)) {
    return failure('UNEXPECTED', 'Something failed. Nothing more is known of it here. Go on without it.')
  }
  const todo = advice[error.code]
  if (todo !== undefined) return failure(error.code, `${fencedMessage(error.message)} ${todo}`)
  const later = error.retryable ? 'Try again later.' : 'Go on without it.'
  return failure(error.code, `The memory can not be used at the moment. ${later}`)
}
