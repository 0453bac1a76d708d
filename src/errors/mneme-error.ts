import { type ErrorCode, errorTraits } from './codes.ts'

const marker = Symbol.for('mneme.error')

/** Facts about a failure that are safe to log: ids, names, counts, limits. Never content, parameters or secrets. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export interface MnemeErrorInit {
  readonly code: ErrorCode
  /** What failed, on what, and what to do next. Never content, parameters or secrets. */
  readonly message: string
  readonly details?: ErrorDetails
  readonly cause?: unknown
}

/** The base of every error mneme throws on purpose. Match on `code`, never on the message. */
export class MnemeError extends Error {
  readonly code: ErrorCode
  /** Whether the same call can succeed later without changing it. */
  readonly retryable: boolean
  readonly details: ErrorDetails
  // A registered symbol, so that two installed copies of mneme recognise each other's errors.
  readonly [marker] = true

  constructor(init: MnemeErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause })
    this.name = new.target.name
    this.code = init.code
    this.retryable = errorTraits[init.code].retryable
    this.details = init.details ?? {}
  }

  /** True for any mneme error, also one from another installed copy; with `code`, only for that code. */
  static is(value: unknown, code?: ErrorCode): value is MnemeError {
    return (
      typeof value === 'object' &&
      value !== null &&
      marker in value &&
      (code === undefined || (value as MnemeError).code === code)
    )
  }

  /** The wire form: no stack, no cause. */
  toJSON(): { code: ErrorCode; message: string; retryable: boolean; details: ErrorDetails } {
    return { code: this.code, message: this.message, retryable: this.retryable, details: this.details }
  }
}
