import type { JournalEntry, MemoryStore, OperationOptions } from '../../contract/index.ts'
import { ConflictError } from '../../errors/index.ts'
import { ownerFromKey, ownerKey, within } from '../../model/index.ts'
import { journalChange } from './copied-transaction.ts'

/** An owner's journal on its way. */
interface Chain {
  readonly owner: string
  /** Of the last line that went over, or is about to. */
  seq: number
  /** Of the last line that the source is known to have. */
  end: number
  /** Read ahead. */
  ahead: JournalEntry[]
  /** The next line is of this transaction, which comes later in the log. */
  waitsFor: string | null
}

/** Lines read ahead, of all owners. */
const mostAhead = 20_000
const mostOfOne = 200

function changed(owner: string): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `migrate: the journal of owner ${owner} is not what it was: records were erased in the source meanwhile, or the target was written by others. Begin with an empty target.`,
    details: { reason: 'journal', owner },
  })
}

/**
 * The journal lines that go with each transaction. A chain keeps its order: lines whose transaction an erase took out of
 * the log go over as soon as they are next.
 */
export interface CopiedJournal {
  /** Looks where the source's chains end now. */
  refresh(): Promise<void>
  /** Before the transactions of a page, or without any at the end of the log. @param latest the latest `at` of the page */
  prepare(transactions: ReadonlySet<string>, latest: number): Promise<void>
  /** The lines of a transaction, to be written with it. */
  take(tx: string): Promise<readonly JournalEntry[]>
  /** After that. */
  written(tx: string): Promise<void>
}

export async function copiedJournal(
  from: MemoryStore,
  to: MemoryStore,
  call: OperationOptions,
  onLines: (count: number) => void,
): Promise<CopiedJournal> {
  const there = new Map((await to.journalEnds(call)).map(({ owner, seq }) => [owner, seq]))
  const chains = new Map<string, Chain>()
  const byTransaction = new Map<string, Set<Chain>>()
  let page: { readonly transactions: ReadonlySet<string>; readonly latest: number } = {
    transactions: new Set(),
    latest: Number.NEGATIVE_INFINITY,
  }

  async function refresh(): Promise<void> {
    for (const { owner, seq: end } of await from.journalEnds(call)) {
      const chain = chains.get(owner) ?? { owner, seq: there.get(owner) ?? 0, end, ahead: [], waitsFor: null }
      chain.end = end
      if (chain.seq > end) throw changed(owner)
      chains.set(owner, chain)
    }
  }

  /** The next line of a chain; null at its end. */
  async function next(chain: Chain): Promise<JournalEntry | null> {
    if (chain.ahead.length === 0 && chain.seq < chain.end) {
      const limit = Math.max(1, Math.min(mostOfOne, Math.floor(mostAhead / chains.size)))
      // Others, who have a dimension more, are seen by the same filter.
      const lines = await from.journal(within(ownerFromKey(chain.owner)), { after: chain.seq, limit }, call)
      chain.ahead = lines.filter(({ scope }) => ownerKey(scope) === chain.owner)
      if (chain.ahead.length === 0) throw changed(chain.owner)
    }
    const [line] = chain.ahead
    if (line !== undefined && line.seq !== chain.seq + 1) throw changed(chain.owner)
    return line ?? null
  }

  /** The next lines that are of one transaction. */
  async function takeFrom(chain: Chain, tx: string): Promise<JournalEntry[]> {
    const lines: JournalEntry[] = []
    for (let line = await next(chain); line?.tx === tx; line = await next(chain)) {
      lines.push(line)
      chain.ahead.shift()
      chain.seq = line.seq
    }
    onLines(lines.length)
    return lines
  }

  async function settle(chain: Chain): Promise<void> {
    for (;;) {
      const line = await next(chain)
      if (line === null) return
      const { tx, at, verb, seq } = line
      if (page.transactions.has(tx)) {
        byTransaction.set(tx, (byTransaction.get(tx) ?? new Set()).add(chain))
        return
      }
      // A chain's moments ascend: behind it there is none of a transaction of the page.
      if (at > page.latest || chain.waitsFor === tx) return
      if ((await from.transaction(tx, call)) !== null) {
        chain.waitsFor = tx
        return
      }
      const changes = (await takeFrom(chain, tx)).map(journalChange)
      await to.commit({ id: tx, at, verb, requires: [], changes, gone: { seq } }, call)
    }
  }

  return {
    refresh,
    async prepare(transactions, latest) {
      page = { transactions, latest }
      byTransaction.clear()
      for (const chain of chains.values()) await settle(chain)
    },
    async take(tx) {
      const lines: JournalEntry[] = []
      for (const chain of byTransaction.get(tx) ?? []) lines.push(...(await takeFrom(chain, tx)))
      return lines
    },
    async written(tx) {
      const moved = byTransaction.get(tx) ?? []
      byTransaction.delete(tx)
      for (const chain of moved) await settle(chain)
    },
  }
}
