import type { LoggedTransaction, MemoryStore, OperationOptions } from '../../contract/index.ts'
import { ConflictError } from '../../errors/index.ts'
import { canonicalJson } from '../../model/index.ts'
import { logEntries } from './read-log.ts'
import { comparableChange, comparableHead, digestParts, type StoreDigest } from './store-digest.ts'

function comparable({ changes }: LoggedTransaction): string[] {
  return changes.map((change) => canonicalJson(comparableChange(change)))
}

/** The first transaction or record that the logs show differently; null when they are alike. */
async function firstDifference(from: MemoryStore, to: MemoryStore, call: OperationOptions): Promise<string | null> {
  const targets = logEntries(to, null, call)
  try {
    for await (const source of logEntries(from, null, call)) {
      const { value: target } = await targets.next()
      if (!target) return source.id
      if (canonicalJson(comparableHead(source)) !== canonicalJson(comparableHead(target))) return source.id
      const theirs = comparable(target)
      const place = comparable(source).findIndex((change, i) => change !== theirs[i])
      const changed = source.changes.find((_, i) => i === place)
      if (changed) return 'id' in changed ? changed.id : source.id
    }
    return null
  } finally {
    await targets.return(undefined)
  }
}

/** What a comparison found, in counts and one id: never content. */
export async function differenceError(
  from: MemoryStore,
  to: MemoryStore,
  digests: { readonly from: StoreDigest; readonly to: StoreDigest },
  call: OperationOptions,
): Promise<ConflictError> {
  const parts = digestParts.filter((part) => digests.from.digests[part] !== digests.to.digests[part])
  const counts = parts.map((part) => `${part} (${digests.from.counts[part]} and ${digests.to.counts[part]})`)
  const first = await firstDifference(from, to, call)
  return new ConflictError({
    code: 'CONFLICT',
    message: `migrate: source and target differ in ${counts.join(', ')}${first === null ? '' : `, first at ${JSON.stringify(first)}`}. What the source got since comes with another run of migrate. If they differ after it, something else wrote to the target: begin with an empty one.`,
    details: { reason: 'different', parts, ...(first === null ? {} : { id: first }) },
  })
}
