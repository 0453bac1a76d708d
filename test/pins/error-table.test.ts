import { expect, test } from 'vitest'
import { errorTraits } from '../../src/errors/index.ts'

// [status, exit, retryable] of every code. Programs and scripts match on them: a change here breaks somebody.
const table: Record<string, readonly [status: number, exit: number, retryable: boolean]> = {
  INVALID_ARGUMENT: [400, 2, false],
  INVALID_SCOPE: [400, 2, false],
  INVALID_RECORD: [400, 2, false],
  SCOPE_REQUIRED: [400, 2, false],
  SCOPE_DENIED: [403, 2, false],
  INVALID_FILTER: [400, 2, false],
  INVALID_TIME: [400, 2, false],
  INVALID_CURSOR: [400, 2, false],
  LIMIT_OUT_OF_RANGE: [400, 2, false],
  UNKNOWN_FIELD: [400, 2, false],
  QUOTA_EXCEEDED: [429, 2, false],
  UNAUTHENTICATED: [401, 2, false],
  RECORD_NOT_FOUND: [404, 3, false],
  CONFLICT: [409, 4, false],
  IDEMPOTENCY_CONFLICT: [409, 4, false],
  VERSION_CONFLICT: [409, 4, true],
  BAD_CONFIG: [500, 5, false],
  DRIVER_MISSING: [500, 5, false],
  MIGRATION_FAILED: [500, 5, false],
  EMBEDDER_CHANGED: [500, 5, false],
  CONTRACT_MISMATCH: [500, 5, false],
  BACKEND_UNAVAILABLE: [503, 6, true],
  BACKEND_TIMEOUT: [503, 6, true],
  BACKEND_FAILED: [503, 6, false],
  EMBEDDER_UNAVAILABLE: [502, 7, true],
  EMBEDDER_BAD_OUTPUT: [502, 7, false],
  MODEL_UNAVAILABLE: [502, 9, true],
  MODEL_TIMEOUT: [504, 9, true],
  MODEL_BAD_OUTPUT: [502, 9, false],
  ENGINE_CLOSED: [503, 8, false],
}

test('[ERR-1] codes, statuses, exit codes and whether to retry are exactly these', () => {
  const actual = Object.entries(errorTraits).map(([code, traits]) => [
    code,
    [traits.status, traits.exit, traits.retryable],
  ])
  expect(Object.fromEntries(actual)).toEqual(table)
})
