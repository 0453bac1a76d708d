import type { StoredRecord } from '../../contract/index.ts'
import { unstamped } from '../verbs/unstamped.ts'
import type { WorkStep } from '../work.ts'

/**
 * The step that hides a record in favour of one that says what it says. That one holds for all the time that it held: what is hidden
 * holds for none, or a read of what was true at a moment would show both.
 */
export function coveredBy(before: StoredRecord, id: string, reason: string): WorkStep & { readonly type: 'put' } {
  const { validFrom, createdAt } = before.record
  const at = validFrom ?? createdAt
  const after = unstamped({ ...before.record, status: 'superseded', supersededBy: id, validFrom: at, validTo: at })
  return { type: 'put', op: 'supersede', before, after, reason }
}
