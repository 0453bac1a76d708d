import { InputError } from '../../errors/index.ts'
import type { ImportResult, ImportRow } from '../api/portability.ts'
import { type Answered, outcomeOf } from '../write-verb.ts'

/** The counts of rows, and the rows. */
export function countRows(rows: readonly ImportRow[]): Omit<ImportResult, 'tx'> {
  const counts = { imported: 0, updated: 0, skipped: 0, failed: 0 }
  // A link is no record.
  for (const { outcome, id } of rows) if (id !== undefined || outcome === 'failed') counts[outcome]++
  return { ...counts, rows }
}

export function answerRows(answered: Answered): ImportResult {
  return { ...countRows(answered.extra as unknown as ImportRow[]), ...outcomeOf(answered) }
}

export function refuseRows(failed: readonly ImportRow[]): InputError {
  const first = failed[0] as ImportRow
  const many = failed.length === 1 ? 'Nothing' : `${failed.length} rows failed; nothing`
  return new InputError({
    code: 'INVALID_RECORD',
    message: `row ${first.row}: ${first.reason ?? 'can not be used.'} ${many} was imported. Try with dryRun for a report of every row.`,
    details: { row: first.row, failed: failed.length },
  })
}
