import { createHash } from 'node:crypto'
import type { LoggedChange, LoggedTransaction, MemoryStore, OperationOptions } from '../../contract/index.ts'
import { allScopes, canonicalJson, ownerFromKey, ownerKey, within } from '../../model/index.ts'
import { toFloatBytes } from '../../vector/index.ts'
import { idsPut } from './catch-up.ts'
import { logPages } from './read-log.ts'

/** What is counted and compared. */
export const digestParts = ['transactions', 'revisions', 'records', 'links', 'journal'] as const
export type DigestPart = (typeof digestParts)[number]

export interface StoreDigest {
  readonly counts: Readonly<Record<DigestPart, number>>
  /** Of each part, in hex. */
  readonly digests: Readonly<Record<DigestPart, string>>
  /** Of all of them, in hex. */
  readonly digest: string
  /** Tombstones of erased records, which are no part of the digest. */
  readonly erased: number
}

/** A digest of many items in any order: the sum of theirs, modulo 2²⁵⁶. */
class Sum {
  count = 0
  #sum = 0n

  add(...pieces: readonly (string | Uint8Array)[]): void {
    const hash = createHash('sha256')
    for (const piece of pieces) hash.update(piece)
    this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash.digest('hex')}`))
    this.count++
  }

  hex(): string {
    return this.#sum.toString(16).padStart(64, '0')
  }
}

/** What both stores must show alike of a change; null for what is not carried over. Vectors and analyses may have come later. */
export function comparableChange(change: LoggedChange): unknown {
  if (change.type === 'put') {
    const { stored, ...rest } = change
    return { ...rest, record: stored?.record ?? null }
  }
  if (change.type !== 'remove') return change
  return change.op === 'erase' ? null : { ...change, salt: null }
}

export function comparableHead({ id, at, verb, actor, reason, result }: LoggedTransaction): unknown {
  return { id, at, verb, actor, reason, result }
}

/**
 * A digest of all that a store holds, the same for every store that holds the same: transactions, what they changed, the
 * present records with their vectors to the last bit, links and the ends of the journals. Access counts are left out: reading
 * moves them. Reads the store once, page by page.
 */
export async function storeDigest(store: MemoryStore, call: OperationOptions): Promise<StoreDigest> {
  const all = allScopes()
  const sums = Object.fromEntries(digestParts.map((part) => [part, new Sum()])) as Record<DigestPart, Sum>
  let erased = 0
  for await (const entries of logPages(store, null, call)) {
    for (const entry of entries) {
      sums.transactions.add(canonicalJson(comparableHead(entry)))
      entry.changes.forEach((change, place) => {
        const item = comparableChange(change)
        if (item === null) erased++
        else sums.revisions.add(canonicalJson([entry.id, place, item]))
      })
    }
    const ids = idsPut(entries)
    if (ids.length === 0) continue
    const versions = new Set(
      entries.flatMap(({ changes }) =>
        changes.flatMap((change) => (change.type === 'put' ? [`${change.version} ${change.id}`] : [])),
      ),
    )
    const stored = await store.get(all, ids, call)
    // Every present record is met once: where the log has its present version.
    const present = new Set<string>()
    for (const each of stored) {
      if (each === null || !versions.has(`${each.record.version} ${each.record.id}`)) continue
      const { record, analysis, vector } = each
      const { accessCount: _, lastAccessedAt: __, ...rest } = record
      present.add(record.id)
      sums.records.add(
        canonicalJson([rest, analysis, vector?.space ?? null]),
        vector === null ? '' : toFloatBytes(vector.values),
      )
    }
    if (present.size === 0) continue
    for (const link of await store.links(all, [...present], call)) {
      if (present.has(link.from)) sums.links.add(canonicalJson(link))
    }
  }
  for (const { owner, seq } of await store.journalEnds(call)) {
    const lines = await store.journal(within(ownerFromKey(owner)), { after: seq - 1, limit: 1 }, call)
    const last = lines.find((line) => line.seq === seq && ownerKey(line.scope) === owner)
    sums.journal.add(canonicalJson([owner, seq, last?.digest ?? null]))
    sums.journal.count += seq - 1
  }
  const of = <T>(read: (sum: Sum) => T) =>
    Object.fromEntries(digestParts.map((part) => [part, read(sums[part])])) as Record<DigestPart, T>
  const digests = of((sum) => sum.hex())
  const digest = createHash('sha256').update(canonicalJson(digests)).digest('hex')
  return { counts: of((sum) => sum.count), digests, digest, erased }
}
