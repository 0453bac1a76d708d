import type { ConformanceCase, Facet, Need } from '../conformance-case.ts'
import { abortCases } from './abort.ts'
import { asOfCases } from './as-of.ts'
import { commitCases } from './commit.ts'
import { contentCases } from './content.ts'
import { deriveCases } from './derive.ts'
import { eraseCases } from './erase.ts'
import { filterCases } from './filter.ts'
import { graphCases } from './graph.ts'
import { idempotencyCases } from './idempotency.ts'
import { isolationCases } from './isolation.ts'
import { journalCases } from './journal.ts'
import { judgesCases } from './judges.ts'
import { lifecycleCases } from './lifecycle.ts'
import { linkCases } from './links.ts'
import { listCases } from './list.ts'
import { logCases } from './log.ts'
import { preconditionCases } from './preconditions.ts'
import { removeCases } from './remove.ts'
import { scopeCases } from './scope.ts'
import { sharedCases } from './shared.ts'
import { statsCases } from './stats.ts'
import { textCases } from './text.ts'
import { turnCases } from './turns.ts'
import { vectorCases } from './vectors.ts'
import { versionCases } from './versions.ts'

const facets: readonly Facet[] = ['text', 'vectors', 'turns']

/** The storage contract, case by case. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...lifecycleCases,
  ...abortCases,
  ...scopeCases,
  ...commitCases,
  ...preconditionCases,
  ...versionCases,
  ...idempotencyCases,
  ...logCases,
  ...asOfCases,
  ...removeCases,
  ...eraseCases,
  ...linkCases,
  ...journalCases,
  ...listCases,
  ...filterCases,
  ...deriveCases,
  ...statsCases,
  ...contentCases,
  ...isolationCases,
  ...sharedCases,
  ...textCases,
  ...vectorCases,
  ...turnCases,
  ...judgesCases,
  ...graphCases,
]

/** The cases about searching, for whatever offers the three facets over a store. */
export const facetCases: readonly ConformanceCase[] = conformanceCases.filter(({ needs = [] }) =>
  needs.some((need) => (facets as readonly Need[]).includes(need)),
)
