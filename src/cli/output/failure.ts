import { type ErrorDetails, errorTraits, MnemeError } from '../../errors/index.ts'
import type { Output } from './answer.ts'
import { bad, drawLines, wholeLine } from './lines.ts'
import { safeJson } from './visible.ts'

/** Everything that no error code stands for. */
const unexpectedExit = 1
/** What shells expect of a program that an interruption ended. */
export const interruptedExit = 130

interface Failure {
  readonly exit: number
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly details: ErrorDetails
}

function describeFailure(error: unknown): Failure {
  if (MnemeError.is(error)) {
    const { code, message, retryable, details } = error
    return { exit: errorTraits[code].exit, code, message, retryable, details }
  }
  const text = error instanceof Error ? error.message : String(error)
  const message = `${text.split('\n')[0]} This is not a failure that mneme knows; MNEME_DEBUG=1 shows where it comes from.`
  return { exit: unexpectedExit, code: 'UNEXPECTED', message, retryable: false, details: {} }
}

/** Tells what failed on stderr. @returns the exit code from the table of errors (CLI-3) */
export async function printFailure(output: Output, error: unknown, debug: boolean): Promise<number> {
  const { exit, ...failure } = describeFailure(error)
  const { mode, err, errCanvas } = output
  if (mode === 'text') {
    await err.write(drawLines([wholeLine(bad(`error ${failure.code}`), `: ${failure.message}`)], errCanvas))
  } else {
    const { code, message, retryable, details } = failure
    await err.write(`${safeJson(JSON.stringify({ error: { code, message, retryable, details } }))}\n`)
  }
  if (debug && error instanceof Error) await err.write(`${error.stack ?? error.message}\n`)
  return exit
}
