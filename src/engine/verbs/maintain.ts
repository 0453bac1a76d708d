import { z } from 'zod'
import { type Doomed, doomed } from '../../kinds/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { MaintainResult } from '../api/retention.ts'
import type { Core } from '../core.ts'
import { firstOf, inParts, outcomeOfParts, writeAll } from '../parts.ts'
import { type Outline, outlines, retiringSteps } from '../retiring.ts'
import { defineVerb, writeOptions } from '../verb.ts'
import { type Answered, outcomeOf, type Planned, runWrite } from '../write-verb.ts'

interface MaintainOptions {
  readonly mode?: 'delete' | 'archive' | undefined
  readonly signal?: AbortSignal | undefined
}

/** What has expired goes; what is pruned or evicted goes or is archived. */
async function doomedNow(core: Core, scope: ScopeFilter, { signal }: MaintainOptions) {
  return doomed(await outlines(core, scope, { statuses: 'any', signal }), {
    policies: core.policies,
    now: core.clock(),
    halfLifeHours: core.defaults.recencyHalfLifeHours,
  })
}

type Gone = Doomed<Outline>
type Report = Omit<MaintainResult, 'tx' | 'plan' | 'degraded'>

const isArchived = ({ because }: Gone, { mode }: MaintainOptions): boolean =>
  mode === 'archive' && because !== 'expired'

function reportOf(gone: readonly Gone[], options: MaintainOptions): Report {
  const idsOf = (some: readonly Gone[]): string[] => some.map(({ record }) => record.id)
  const removed = (because: Doomed['because']) =>
    idsOf(gone.filter((one) => one.because === because && !isArchived(one, options)))
  return {
    expired: removed('expired'),
    pruned: removed('pruned'),
    evicted: removed('evicted'),
    archived: idsOf(gone.filter((one) => isArchived(one, options))),
    why: Object.fromEntries(gone.map(({ record, why }) => [record.id, why])),
  }
}

async function planMaintenance(
  core: Core,
  scope: ScopeFilter,
  gone: readonly Gone[],
  options: MaintainOptions,
): Promise<Planned> {
  const some = firstOf(gone, ({ record }) => record.length)
  const retired = some.map((one) => ({ ...one.record, archived: isArchived(one, options), why: one.why }))
  const steps = await retiringSteps(core, scope, retired, options.signal)
  return { steps, refs: [], extra: { ...reportOf(some, options), more: some.length < gone.length } }
}

interface Maintained extends MaintainResult {
  /** There was more to do. */
  readonly more: boolean
}

function answerMaintained(answered: Answered): Maintained {
  return { ...(answered.extra as unknown as Report & { more: boolean }), ...outcomeOf(answered) }
}

function merged(answers: readonly Report[]): Report {
  return {
    expired: answers.flatMap(({ expired }) => expired),
    pruned: answers.flatMap(({ pruned }) => pruned),
    evicted: answers.flatMap(({ evicted }) => evicted),
    archived: answers.flatMap(({ archived }) => archived),
    why: Object.fromEntries(answers.flatMap(({ why }) => Object.entries(why))),
  }
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
  async run({ core, access }, input): Promise<MaintainResult> {
    const scope = readScope(access, input)
    const write = { name: 'maintain', answer: answerMaintained }
    if (input.dryRun) {
      const gone = await doomedNow(core, scope, input)
      const plan = () => planMaintenance(core, scope, gone, input)
      const { more, ...answer } = await runWrite(core, { ...write, plan }, input, undefined)
      return more ? reportOf(gone, input) : answer
    }
    const parts = inParts(core, write, input, undefined, 'make the call again to go on.')
    const plan = async () => planMaintenance(core, scope, await doomedNow(core, scope, input), input)
    const answers = await writeAll(parts, plan)
    return { ...merged(answers), ...outcomeOfParts(parts.tx, answers) }
  },
})
