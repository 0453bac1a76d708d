import type { HotCase } from '../hot-case.ts'
import { hotEntryCases } from './entries.ts'
import { hotExpiryCases } from './expiry.ts'
import { hotLeaseCases } from './leases.ts'
import { hotLifecycleCases } from './lifecycle.ts'
import { hotQueueCases } from './queue.ts'
import { hotScopeCases } from './scope.ts'
import { hotSearchCases } from './search.ts'
import { hotSessionCases } from './session.ts'

/** What a hot tier promises, case by case. */
export const hotTierCases: readonly HotCase[] = [
  ...hotLifecycleCases,
  ...hotEntryCases,
  ...hotLeaseCases,
  ...hotExpiryCases,
  ...hotScopeCases,
  ...hotSearchCases,
  ...hotSessionCases,
  ...hotQueueCases,
]
