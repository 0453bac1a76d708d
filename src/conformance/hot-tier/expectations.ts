import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { HotTier } from '../../contract/index.ts'
import { allScopes, type ScopeFilter } from '../../model/index.ts'

const all = allScopes()

/** What the tier knows of each id, in a word: its version, `gone` or `miss`. */
export async function states(
  tier: HotTier,
  ids: readonly string[],
  scope: ScopeFilter = all,
): Promise<(number | string)[]> {
  const answers = await tier.get(scope, ids)
  return answers.map((answer) => (answer.state === 'hit' ? answer.stored.record.version : answer.state))
}

/** The lease of an id that is a miss. */
export async function leaseOf(tier: HotTier, id: string): Promise<string> {
  const [answer] = await tier.get(all, [id])
  assert.ok(answer?.state === 'miss', `${id} should be a miss`)
  return answer.lease
}

export async function scanIds(tier: HotTier, scope: ScopeFilter = all): Promise<string[]> {
  const ids: string[] = []
  for await (const { record } of tier.scan(scope)) ids.push(record.id)
  return ids.sort()
}

/** Waits for what time brings about, and fails when it does not come. */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 15_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, `waited in vain: ${what}`)
    await setTimeout(50)
  }
}
