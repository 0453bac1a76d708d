import type { AsOf } from '../contract/index.ts'
import { matchesScope, type ScopeFilter } from '../model/index.ts'
import type { Core } from './core.ts'

const batch = 200

/**
 * The state that pages after the first are read from: that of the first page, or the present one while nothing that the
 * read can see has changed since. Reading the past costs more, and others' writes must not make anybody pay for it.
 */
export async function pageState(
  core: Core,
  scope: ScopeFilter,
  position: string,
  signal?: AbortSignal,
): Promise<AsOf | undefined> {
  for (let after = position; ; ) {
    const page = await core.store.log(after, { limit: batch, signal })
    const changes = page.entries.flatMap((entry) => entry.changes)
    if (changes.some((change) => change.scope === null || matchesScope(scope, change.scope))) return { position }
    if (page.entries.length === 0) return undefined
    after = page.cursor
  }
}
