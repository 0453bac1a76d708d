import { hash } from 'node:crypto'
import { canonicalJson, ownerKey } from '../model/index.ts'
import type { JournalEntry } from './journal.ts'

/**
 * The digest that closes a journal line into its owner's chain: SHA-256, in hex, of the previous digest and the line
 * in canonical JSON. The first line of a chain follows the empty string (STO-JRN-1).
 */
export function journalDigest(previous: string, entry: Omit<JournalEntry, 'digest'>): string {
  const { digest: _, ...line } = entry as JournalEntry
  return hash('sha256', previous + canonicalJson(line), 'hex')
}

/**
 * The first line that is missing, out of place or altered, null when every chain is whole.
 * Give whole chains, each in its own order; chains of several owners may be mixed.
 */
export function brokenJournalLine(entries: Iterable<JournalEntry>): JournalEntry | null {
  const last = new Map<string, { readonly seq: number; readonly digest: string }>()
  for (const entry of entries) {
    const owner = ownerKey(entry.scope)
    const previous = last.get(owner) ?? { seq: 0, digest: '' }
    if (entry.seq !== previous.seq + 1 || journalDigest(previous.digest, entry) !== entry.digest) return entry
    last.set(owner, entry)
  }
  return null
}
