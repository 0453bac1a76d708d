import { decodeName } from '../names.ts'
import type { Parameters } from '../parameters.ts'
import type { Visible } from './window.ts'

/** What a row of `{searched}` tells of a record that may be shown. */
export interface Candidate {
  readonly num: number
  readonly scope: number
  readonly id: string
  readonly shape: number
  /** Null where nobody said it. */
  readonly actor: string | null
  /** It is a turn of a thread. */
  readonly isTurn: boolean
  readonly createdAt: number
  readonly importance: number
  readonly reliability: number
  /** Of its text, in terms. */
  readonly length: number
  readonly tokens: readonly number[]
  /** By term that was asked for. */
  readonly frequencies: readonly number[]
}

type Told = [
  num: number,
  scope: number,
  id: string,
  shape: number,
  actor: string | null,
  isTurn: 0 | 1,
  createdAt: number,
  importance: number,
  reliability: number,
  length: number,
  tokens: number[],
  frequencies: number[],
]

/** SQL for whether the scope of a row of `{searched}` is a session's. */
export function isInThread({ threads }: Visible, alias: string, parameters: Parameters): string {
  return threads === null
    ? `(SELECT p.session IS NOT NULL FROM {scopes} p WHERE p.id = ${alias}.scope)`
    : `${alias}.scope = ANY (${parameters.add(threads)}::bigint[])`
}

/**
 * SQL for all candidates among rows of `{searched}`, as one text: hundreds of rows take longer to send and to read than to find.
 * @param terms a parameter
 */
export function candidatesSql(visible: Visible, alias: string, terms: string, parameters: Parameters): string {
  const told = [
    `${alias}.num`,
    `${alias}.scope`,
    `to_json(${alias}.id)`,
    `${alias}.shape`,
    `CASE WHEN ${alias}.role IS NULL THEN 'null' ELSE ${alias}.actor END`,
    `(${isInThread(visible, alias, parameters)} AND ${alias}.length > 0)::int`,
    `${alias}.created_at`,
    `${alias}.importance`,
    `${alias}.reliability`,
    `${alias}.length`,
    `'[' || array_to_string(${alias}.tokens, ',') || ']'`,
    `'[' || array_to_string(${frequenciesIn(alias, terms)}, ',') || ']'`,
  ]
  return `string_agg(concat_ws(',', ${told.join(', ')}), '],[')`
}

const frequenciesIn = (alias: string, terms: string): string =>
  `ARRAY (SELECT COALESCE(${alias}.frequencies[array_position(${alias}.terms, t.term)], 0) FROM unnest(${terms}::text[]) WITH ORDINALITY t(term, place) ORDER BY t.place)`

/** @param text null where nothing was found */
export function candidatesIn(text: unknown): Candidate[] {
  if (text === null) return []
  const all = JSON.parse(`[[${text as string}]]`) as Told[]
  return all.map(
    ([num, scope, id, shape, actor, isTurn, createdAt, importance, reliability, length, tokens, frequencies]) => ({
      num,
      scope,
      id: decodeName(id),
      shape,
      actor,
      isTurn: isTurn === 1,
      createdAt,
      importance,
      reliability,
      length,
      tokens,
      frequencies,
    }),
  )
}
