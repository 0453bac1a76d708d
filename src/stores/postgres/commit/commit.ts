import type { CommitResult, StoreChange, Transaction } from '../../../contract/index.ts'
import type { Call, Query } from '../database.ts'
import { type BeforeVisible, land } from '../land.ts'
import type { NamesInUse, Session } from '../session.ts'
import { check } from './check.ts'
import { draftOf } from './draft.ts'
import { makeHomes } from './homes.ts'
import { indexDraft } from './index-draft.ts'
import { lockAndRead } from './known.ts'
import { needsOf } from './needs.ts'
import { write } from './write.ts'

function namesIn(changes: readonly StoreChange[]): NamesInUse {
  const analysers = new Set<string>()
  const spaces = new Map<string, { readonly name: string; readonly dimensions: number }>()
  for (const change of changes) {
    if (change.type !== 'put') continue
    analysers.add(change.analysis.analyser)
    if (change.vector === null) continue
    const { space: name, values } = change.vector
    spaces.set(`${values.length} ${name}`, { name, dimensions: values.length })
  }
  return { analysers: [...analysers], spaces: [...spaces.values()] }
}

/**
 * Two round trips where every scope is known: locks and everything that is to be checked, then all that is written and the
 * end.
 */
export async function commit(
  session: Session,
  call: Call,
  transaction: Transaction,
  beforeVisible?: BeforeVisible,
): Promise<CommitResult> {
  const { id } = transaction
  await session.numbers.prepare(call, namesIn(transaction.changes))
  const needs = needsOf(transaction)
  return land<CommitResult>(session, {
    call,
    id,
    beforeVisible,
    async attempt(ask, seal) {
      // They go by keys, whatever the values.
      const query: Query = (text, values) => ask(text, values, values === undefined ? undefined : 'steady')
      const known = await lockAndRead(query, session, transaction, needs)
      // An owner was not locked that should have been; the next attempt knows it.
      if (!known.isLocked) return null
      const checked = check(transaction, known)
      if ('replayed' in checked) return checked
      const homes = await makeHomes(query, session, transaction, known)
      const draft = draftOf(transaction, checked, known, homes, session.salt)
      const sent = write(query, session, transaction, checked, draft, homes)
      // They are awaited, though maybe not before one of them fails.
      for (const statement of sent) statement.catch(() => undefined)
      await indexDraft(query, session, draft, sent)
      return seal({ tx: id, at: checked.at, replayed: false, records: draft.answers }, sent)
    },
  })
}
