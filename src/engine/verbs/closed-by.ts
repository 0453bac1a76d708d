import type { PutRecord, StoredRecord } from '../../contract/index.ts'
import { formatInstant } from '../../model/index.ts'
import type { Core } from '../core.ts'
import type { WorkStep } from '../work.ts'
import { unstamped } from './unstamped.ts'

/** The step that hides a record in favour of its successor and closes its validity where the successor's begins. */
export function closedBy(
  core: Core,
  previous: StoredRecord,
  next: Pick<PutRecord, 'id' | 'validFrom'>,
): WorkStep & { readonly type: 'put' } {
  const { validFrom, validTo } = previous.record
  const closes = next.validFrom ?? formatInstant(core.clock())
  const closed = validTo ?? (validFrom !== undefined && closes < validFrom ? validFrom : closes)
  const after = unstamped({ ...previous.record, status: 'superseded', supersededBy: next.id, validTo: closed })
  return { type: 'put', op: 'supersede', before: previous, after }
}
