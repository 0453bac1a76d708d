import type { StoredRecord } from '../contract/index.ts'
import { exactly, type Scope, scopeKey } from '../model/index.ts'
import { closed, conflictData, conflictKind, conflictsOf, saysTheSame, settles } from './conflict-steps.ts'
import type { Core } from './core.ts'
import { listAll } from './listing.ts'
import { coveredBy } from './tidying/covered-by.ts'
import type { WorkStep } from './work.ts'

type Put = WorkStep & { readonly type: 'put' }

/** Whether a step makes a memory say something else than what was known before it: only then can it say what waits. */
function isOtherwise(step: WorkStep): step is Put {
  if (step.type !== 'put' || step.after.status !== 'live' || step.after.kind === conflictKind) return false
  const { before, after } = step
  if (before === null) return after.supersedes !== undefined
  return before.record.status !== 'live' || !saysTheSame(before.record, after)
}

/** What is in quarantine under the name of the memory, or contradicts what it was made from. */
async function waitingBeside(core: Core, { before, after }: Put, signal?: AbortSignal): Promise<StoredRecord[]> {
  const scope = exactly(after.scope as Scope)
  const { kind, key, supersedes } = after
  if (key !== undefined) return listAll(core, scope, { kinds: [kind], key, statuses: ['quarantined'], signal })
  const conflicts = await conflictsOf(
    core,
    [before?.record.id, supersedes].flatMap((id) => id ?? []),
  )
  const seconds = conflicts.flatMap(({ record }) => conflictData(record)?.second ?? [])
  const found = await core.store.get(scope, seconds, { signal })
  return found.flatMap((one) => (one?.record.status === 'quarantined' ? [one] : []))
}

/**
 * Steps that take out of quarantine what waits to be decided and says what a memory says from this write on: nothing is left to decide,
 * so its contradiction is closed and it stands behind that memory (CFL-13). Part of the same transaction, which `undo` takes back
 * whole. A plan leaves them out: whoever applies it makes them anew.
 */
export async function noLongerWaiting(
  core: Core,
  steps: readonly WorkStep[],
  signal?: AbortSignal,
): Promise<WorkStep[]> {
  const touched = new Set(steps.flatMap((step) => (step.type === 'put' ? [step.after.id] : [])))
  for (const step of steps) if (step.type === 'remove') touched.add(step.before.record.id)
  const found: WorkStep[] = []
  for (const step of steps.filter(isOtherwise)) {
    const { after } = step
    for (const second of await waitingBeside(core, step, signal)) {
      const { id, scope } = second.record
      if (touched.has(id) || scopeKey(scope) !== scopeKey(after.scope) || !settles(after, second.record)) continue
      const conflicts = (await conflictsOf(core, [id])).filter(
        ({ record }) => record.status === 'live' && !touched.has(record.id) && conflictData(record)?.second === id,
      )
      // What somebody put aside without a contradiction is theirs to judge.
      if (conflicts.length === 0) continue
      for (const one of [id, ...conflicts.map(({ record }) => record.id)]) touched.add(one)
      found.push(
        { ...coveredBy(second, after.id, 'it is known now'), unplanned: true },
        ...conflicts.map((one) => closed(one)),
      )
    }
  }
  return found
}
