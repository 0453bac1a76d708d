import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import { type Doomed, doomed } from '../../kinds/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { MaintainResult } from '../api/retention.ts'
import type { Core } from '../core.ts'
import { listAll } from '../listing.ts'
import { defineVerb, writeOptions } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import { type Answered, outcomeOf, type Planned, runWrite } from '../write-verb.ts'
import { unstamped } from './unstamped.ts'

/** Away from recall, kept for audit; `restore` brings it back. */
export function archiveStep(before: StoredRecord, reason: string): WorkStep {
  const after = unstamped({ ...before.record, status: 'archived' })
  return { type: 'put', op: 'archive', before, after, reason }
}

export function removeStep(before: StoredRecord, reason: string): WorkStep {
  return { type: 'remove', op: 'delete', before, reason }
}

interface MaintainOptions {
  readonly mode?: 'delete' | 'archive' | undefined
  readonly signal?: AbortSignal | undefined
}

/** What has expired goes; what is pruned or evicted goes or is archived. */
async function planMaintenance(core: Core, scope: ScopeFilter, { mode, signal }: MaintainOptions): Promise<Planned> {
  const found = await listAll(core, scope, { statuses: 'any', signal })
  const stored = new Map(found.map((one) => [one.record.id, one]))
  const gone = doomed(
    found.map(({ record }) => record),
    { policies: core.policies, now: core.clock(), halfLifeHours: core.defaults.recencyHalfLifeHours },
  )
  const isArchived = ({ because }: Doomed) => mode === 'archive' && because !== 'expired'
  const idsOf = (some: readonly Doomed[]): string[] => some.map(({ record }) => record.id)
  const removed = (because: Doomed['because']) =>
    idsOf(gone.filter((one) => one.because === because && !isArchived(one)))
  return {
    steps: gone.map((one) => {
      const before = stored.get(one.record.id) as StoredRecord
      return isArchived(one) ? archiveStep(before, one.why) : removeStep(before, one.why)
    }),
    refs: [],
    extra: {
      expired: removed('expired'),
      pruned: removed('pruned'),
      evicted: removed('evicted'),
      archived: idsOf(gone.filter(isArchived)),
      why: Object.fromEntries(gone.map(({ record, why }) => [record.id, why])),
    },
  }
}

function answerMaintained(answered: Answered): MaintainResult {
  return { ...(answered.extra as unknown as Omit<MaintainResult, 'tx'>), ...outcomeOf(answered) }
}

export const maintain = defineVerb({
  name: 'maintain',
  summary: 'Remove what has expired, what proved unreliable and what is beyond the capacity of its kind.',
  positional: [],
  input: () =>
    z.strictObject({
      mode: z.enum(['delete', 'archive']).optional(),
      allScopes: z.boolean().optional(),
      scope: writeOptions.scope,
      dryRun: writeOptions.dryRun,
      reason: writeOptions.reason,
      actor: writeOptions.actor,
      signal: writeOptions.signal,
    }),
  writes: true,
  caretaker: true,
  example: 'mneme maintain --dry-run --user ann',
  run({ core, access }, input): Promise<MaintainResult> {
    const scope = readScope(access, input)
    return runWrite(
      core,
      { name: 'maintain', plan: () => planMaintenance(core, scope, input), answer: answerMaintained },
      input,
      undefined,
    )
  },
})
