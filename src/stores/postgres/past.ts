import type { AsOf, StoredRecord } from '../../contract/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { contentColumns, contentJoins, decodeStored } from './content.ts'
import type { Query } from './database.ts'
import { decodeName } from './names.ts'
import { createParameters, type Parameters } from './parameters.ts'
import { before, readCursor } from './position.ts'
import { scopeCondition } from './scope-condition.ts'
import type { Session } from './session.ts'
import { floor } from './whole-number.ts'

/** Which changes are in a past state. */
export interface Past {
  /** True of them: a condition on a table with `place` and `at`. */
  condition(alias: string, parameters: Parameters): string
}

/** @throws InputError INVALID_CURSOR */
export async function readPast(query: Query, session: Session, asOf: AsOf): Promise<Past> {
  if ('time' in asOf) return { condition: (alias, parameters) => `${alias}.at <= ${parameters.add(floor(asOf.time))}` }
  const position = await readCursor(query, session, asOf.position)
  return { condition: (alias, parameters) => before(position, `${alias}.place`, parameters) }
}

export interface PastRecord {
  readonly stored: StoredRecord
  readonly hash: string | null
}

const batch = 500

/** Every visible record of a past state, in no order that means anything. */
export async function* recordsThen(query: Query, scope: ScopeFilter, past: Past): AsyncGenerator<PastRecord> {
  for (let after: readonly [number, string] = [-1, '']; ; ) {
    const parameters = createParameters()
    const rows = await query(
      `SELECT v.owner, v.id, v.hash, ${contentColumns} FROM (
         SELECT DISTINCT ON (w.owner, w.id) w.* FROM {revisions} w JOIN {scopes} s ON s.id = w.scope
         WHERE (w.owner, w.id) > (${parameters.add(after[0])}, ${parameters.add(after[1])})
           AND ${past.condition('w', parameters)} AND ${scopeCondition(scope, 's', parameters)}
         ORDER BY w.owner, w.id, w.version DESC LIMIT ${batch}) v ${contentJoins}
       ORDER BY v.owner, v.id`,
      parameters.values,
    )
    for (const row of rows) {
      if (row.record === null) continue
      yield { stored: decodeStored(row), hash: row.hash === null ? null : decodeName(row.hash as string) }
    }
    const last = rows.at(-1)
    if (rows.length < batch || last === undefined) return
    after = [last.owner as number, last.id as string]
  }
}
