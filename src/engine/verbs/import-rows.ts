import { InputError } from '../../errors/index.ts'
import type { ImportRow } from '../api/portability.ts'
import type { WorkStep } from '../work.ts'

/** What becomes of a row. */
export interface Decided {
  readonly step?: WorkStep
  readonly report: ImportRow
}

/** All rows or none. @throws InputError INVALID_RECORD naming the first row that can't be used */
export function refuseFailed(decided: readonly Decided[]): void {
  const failed = decided.flatMap(({ report }) => (report.outcome === 'failed' ? [report] : []))
  const [first] = failed
  if (!first) return
  const many = failed.length === 1 ? 'Nothing' : `${failed.length} rows failed; nothing`
  throw new InputError({
    code: 'INVALID_RECORD',
    message: `row ${first.row}: ${first.reason ?? 'can not be used.'} ${many} was imported. Try with dryRun for a report of every row.`,
    details: { row: first.row, failed: failed.length },
  })
}
