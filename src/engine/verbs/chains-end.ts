import type { StoredRecord } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import type { PlanStep } from '../api/plan.ts'

/** A step that no plan of this version holds. */
export function impossible(step: number, why: string): InputError {
  return new InputError({ code: 'INVALID_ARGUMENT', message: `plan.steps[${step}]: ${why}. Make the plan again.` })
}

/** Chains end: nothing is superseded by itself, however many steps of a plan that takes. @throws InputError INVALID_ARGUMENT */
export function checkChainsEnd(steps: readonly PlanStep[], current: ReadonlyMap<string, StoredRecord>): void {
  const successors = new Map<string, string | undefined>()
  for (const [id, { record }] of current) successors.set(id, record.supersededBy)
  for (const { after } of steps) if (typeof after?.id === 'string') successors.set(after.id, after.supersededBy)
  for (const [i, { before, after }] of steps.entries()) {
    const id = after?.id ?? before?.id
    const seen = new Set<string>()
    for (let next = after?.supersededBy; typeof next === 'string' && !seen.has(next); next = successors.get(next)) {
      if (next === id) throw impossible(i, 'a record would be superseded by itself')
      seen.add(next)
    }
    if (after?.supersedes === undefined) continue
    if (after.supersedes === id || after.supersedes === after.supersededBy)
      throw impossible(i, 'a record would supersede itself')
  }
}
