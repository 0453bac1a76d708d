import type { Query } from '../database.ts'
import { createParameters } from '../parameters.ts'
import { isBlind, isCounted, isUncounted, placeCondition, rowIsVisible, type Visible } from './window.ts'

/** What is visible, in numbers. */
export interface Totals {
  /** Records that have terms, and the sum of their lengths. */
  readonly documents: number
  readonly lengths: number
  /** Records that have tokens, and how many in all. */
  readonly tokenRecords: number
  readonly tokenEntries: number
}

const none: Totals = { documents: 0, lengths: 0, tokenRecords: 0, tokenEntries: 0 }

const columns = ['documents', 'lengths', 'token_records', 'token_entries'] as const

export async function totalsOf(query: Query, visible: Visible): Promise<Totals> {
  if (isBlind(visible)) return none
  const parameters = createParameters()
  const counted = () =>
    `SELECT ${columns.map((name) => `c.${name}`).join(', ')} FROM {scope_counts} c WHERE ${placeCondition(visible, 'c', parameters)}`
  const uncounted = `SELECT count(*) FILTER (WHERE cardinality(s.terms) > 0), COALESCE(sum(s.length), 0),
    count(*) FILTER (WHERE cardinality(s.tokens) > 0), COALESCE(sum(cardinality(s.tokens)), 0)
    FROM {searched} s WHERE ${isUncounted(visible, 's')} AND ${rowIsVisible(visible, 's', parameters)}`
  const all = isCounted(visible) ? `${counted()} UNION ALL ${uncounted}` : uncounted
  const sums = columns.map((name) => `COALESCE(sum(${name}), 0)::bigint AS ${name}`).join(', ')
  const [row] = await query(`SELECT ${sums} FROM (${all}) t (${columns.join(', ')})`, parameters.values, 'steady')
  return {
    documents: row?.documents as number,
    lengths: row?.lengths as number,
    tokenRecords: row?.token_records as number,
    tokenEntries: row?.token_entries as number,
  }
}
