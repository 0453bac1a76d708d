/** What each error code means to the three surfaces: HTTP status, process exit code, and whether trying again can help. */
export interface ErrorTraits {
  readonly status: number
  readonly exit: number
  readonly retryable: boolean
}

const input: ErrorTraits = { status: 400, exit: 2, retryable: false }
const conflict: ErrorTraits = { status: 409, exit: 4, retryable: false }
const setup: ErrorTraits = { status: 500, exit: 5, retryable: false }

/** The one table of error codes. A pin test freezes it: codes and exit codes are a promise (SPEC ERR-1). */
export const errorTraits = {
  INVALID_ARGUMENT: input,
  INVALID_SCOPE: input,
  INVALID_RECORD: input,
  SCOPE_REQUIRED: input,
  SCOPE_DENIED: { ...input, status: 403 },
  INVALID_FILTER: input,
  INVALID_TIME: input,
  INVALID_CURSOR: input,
  LIMIT_OUT_OF_RANGE: input,
  UNKNOWN_FIELD: input,
  QUOTA_EXCEEDED: { ...input, status: 429 },
  UNAUTHENTICATED: { ...input, status: 401 },
  RECORD_NOT_FOUND: { status: 404, exit: 3, retryable: false },
  CONFLICT: conflict,
  IDEMPOTENCY_CONFLICT: conflict,
  VERSION_CONFLICT: { ...conflict, retryable: true },
  BAD_CONFIG: setup,
  DRIVER_MISSING: setup,
  MIGRATION_FAILED: setup,
  EMBEDDER_CHANGED: setup,
  CONTRACT_MISMATCH: setup,
  BACKEND_UNAVAILABLE: { status: 503, exit: 6, retryable: true },
  BACKEND_TIMEOUT: { status: 503, exit: 6, retryable: true },
  BACKEND_FAILED: { status: 503, exit: 6, retryable: false },
  EMBEDDER_UNAVAILABLE: { status: 502, exit: 7, retryable: true },
  EMBEDDER_BAD_OUTPUT: { status: 502, exit: 7, retryable: false },
  MODEL_UNAVAILABLE: { status: 502, exit: 9, retryable: true },
  MODEL_TIMEOUT: { status: 504, exit: 9, retryable: true },
  MODEL_BAD_OUTPUT: { status: 502, exit: 9, retryable: false },
  ENGINE_CLOSED: { status: 503, exit: 8, retryable: false },
} as const satisfies Record<string, ErrorTraits>

/** A stable, machine-readable reason. */
export type ErrorCode = keyof typeof errorTraits
