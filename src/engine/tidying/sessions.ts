import { summaryText } from '../../learning/index.ts'
import { exactly, type MemoryRecord, type Scope } from '../../model/index.ts'
import { wordCounter } from '../../text/index.ts'
import type { Core } from '../core.ts'
import { listAll, listPage } from '../listing.ts'
import { summarySources } from '../summaries/kept-summary.ts'
import { refreshSummary, type WriteSummary } from '../summaries/refresh-summary.ts'
import { isSummedUp } from '../summaries/summary-items.ts'
import { defaultSummaryTokens, summaryWriter } from '../summaries/summary-writer.ts'
import { unstamped } from '../verbs/unstamped.ts'
import type { WorkStep } from '../work.ts'
import type { Tidied, TidyingOptions } from './tidying.ts'

const nothing: Tidied = { groups: [], ignored: [], degraded: [] }

/** Whether a session got nothing for as long as the caller says. */
async function hasEnded(core: Core, scope: Scope, { endedBefore, signal }: TidyingOptions): Promise<boolean> {
  const query = { statuses: 'any' as const, order: 'newest' as const, limit: 1 }
  // A summary of it is no sign of life.
  const isOfIt = ({ kind }: MemoryRecord) => isSummedUp(kind)
  const { items } = await listPage(core, exactly(scope), query, { signal, bare: true }, isOfIt)
  const [newest] = items
  return newest !== undefined && Date.parse(newest.record.createdAt) <= endedBefore
}

/**
 * The episodes of a session that has ended are summed up under `summary.session`, as `summaries.refresh` does it, where they are longer
 * than a summary; archived only when the caller asks for it, and then named as superseded by it (CSL-9).
 */
export async function sessionGroups(
  core: Core,
  scope: Scope,
  options: TidyingOptions,
  touched: ReadonlySet<string>,
): Promise<Tidied> {
  const { episodes, kinds, signal } = options
  const isMeant = scope.sessionId !== undefined && episodes !== 'keep' && kinds.includes('episodic')
  if (!isMeant || !(await hasEnded(core, scope, options))) return nothing
  const from = summarySources('session', scope)
  const budget = { tokens: defaultSummaryTokens, counter: wordCounter, render: summaryText }
  const writer = summaryWriter(core, scope, budget, signal)
  const write: WriteSummary = async (items) => {
    const isShort = items.reduce((sum, { content }) => sum + wordCounter.count(content), 0) <= budget.tokens
    const isNew = !items.some(({ whole }) => whole)
    // A summary as long as what it sums up helps nobody, unless that goes away.
    return isShort && isNew && episodes !== 'archive' ? { sentences: [], by: 'rules', degraded: [] } : writer(items)
  }
  const { steps, record, degraded } = await refreshSummary(core, {
    name: 'session',
    scope,
    from,
    write,
    signal,
    without: touched,
  })
  const changes = steps.filter((step) => step.type !== 'noop')
  const archived = episodes === 'archive' && record ? await archiveSteps(core, scope, record.id, options, touched) : []
  const group = [...changes, ...archived]
  return { groups: group.length === 0 ? [] : [group], ignored: [], degraded }
}

/** What a summary stands for now, away from recall: neither pinned nor keyed, and nothing that is not in a summary. */
async function archiveSteps(
  core: Core,
  scope: Scope,
  summary: string,
  { signal }: TidyingOptions,
  touched: ReadonlySet<string>,
): Promise<WorkStep[]> {
  const { lifetimes } = core.policies
  const query = { kinds: ['episodic'], now: core.clock(), lifetimes, signal }
  const found = await listAll(core, exactly(scope), query)
  return found
    .filter(
      ({ record: { id, pinned, key, trust } }) =>
        !pinned && key === undefined && trust !== 'untrusted' && !touched.has(id),
    )
    .map((before) => ({
      type: 'put',
      op: 'archive',
      before,
      after: unstamped({ ...before.record, status: 'archived', supersededBy: summary }),
      reason: `summed up in ${summary}`,
    }))
}
