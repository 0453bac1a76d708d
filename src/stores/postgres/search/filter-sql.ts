import type { ListQuery } from '../../../contract/index.ts'
import { type FilterNode, formatInstant } from '../../../model/index.ts'
import type { Parameters } from '../parameters.ts'
import { bareJson, bareText } from './bare-text.ts'
import { notInFacts } from './facts.ts'

/** Conditions on a row of `{searched}`. */
export interface Condition {
  /** True of every record that matches. */
  readonly sql: string
  /** True of no other record either; otherwise each has to be looked at once more. */
  readonly exact: boolean
}

/** Both sides of what SQL knows of a condition: `must` is true of nothing that does not match, `may` of everything that does. Never null. */
interface Bounds {
  readonly may: string
  readonly must: string
}

const known = (sql: string): Bounds => ({ may: sql, must: sql })
const unknown: Bounds = { may: 'true', must: 'false' }

type Test = Extract<FilterNode, { readonly type: 'test' }>

/** Every way of joining neighbours with dots, the longest first name first: the order in which names are looked up. */
function spellings(path: readonly string[]): readonly (readonly string[])[] {
  if (path.length === 0) return [[]]
  return path.flatMap((_, i) => {
    const length = path.length - i
    const first = path.slice(0, length).join('.')
    return spellings(path.slice(length)).map((rest) => [first, ...rest])
  })
}

/** Beyond it there are more ways to spell a path than anybody means. */
const longestPath = 5

/** SQL for the value of a field as jsonb, NULL where it is missing; null when only the record itself tells. */
function fieldOf({ root, path }: Test, alias: string, parameters: Parameters): string | null {
  if (path.length > longestPath) return null
  const isMetadata = root === 'metadata' || path[0] === 'metadata'
  const [first = '', ...rest] = root === 'metadata' ? ['m', ...path] : path
  if (!isMetadata && notInFacts.has(first)) return null
  const name = (segment: string) => ` -> ${parameters.add(bareText(segment))}::text`
  const from = isMetadata ? `${alias}.facts -> 'm'` : `${alias}.facts -> 'r'${name(first)}`
  const ways = spellings(rest).map((way) => from + way.map(name).join(''))
  return ways.length === 1 ? `(${ways[0]})` : `COALESCE(${ways.join(', ')})`
}

const textOf = (field: string) => `(${field} #>> '{}')`
const isText = (field: string) => `(COALESCE(jsonb_typeof(${field}), '') = 'string')`
/** The second is looked at only where the first holds. */
const where = (guard: string, sql: string) => `(CASE WHEN ${guard} THEN ${sql} ELSE false END)`

const halfAtAnEnd = /^[\udc00-\udfff]|[\ud800-\udbff]$/
/** Texts of other characters are in another order by code point than by UTF-16. */
const inOneOrder = /^[^\ud800-\uffff]*$/
const ascii = /^[\0-\x7f]*$/

/** A time is compared as it is written: all times of records are written in one form. */
function comparedWith({ value, time }: Test): unknown {
  const written = (one: unknown) => (time && typeof one === 'number' ? formatInstant(one) : one)
  return Array.isArray(value) && time ? value.map(written) : written(value)
}

function json(value: unknown, parameters: Parameters): string {
  return `${parameters.add(JSON.stringify(bareJson(value)))}::jsonb`
}

function oneOf(field: string, values: readonly unknown[], parameters: Parameters): string {
  const list = parameters.add(values.map((value) => JSON.stringify(bareJson(value))))
  return `COALESCE(${field} = ANY (${list}::jsonb[]), false)`
}

function contains(field: string, value: unknown, parameters: Parameters): Bounds {
  const inList = where(
    `COALESCE(jsonb_typeof(${field}), '') = 'array'`,
    `EXISTS (SELECT FROM jsonb_array_elements(${field}) item WHERE item.value = ${json(value, parameters)})`,
  )
  if (typeof value !== 'string') return known(inList)
  const inText = where(isText(field), `strpos(${textOf(field)}, ${parameters.add(bareText(value))}) > 0`)
  if (!halfAtAnEnd.test(value)) return known(`(${inList} OR ${inText})`)
  return { may: `(${inList} OR ${isText(field)})`, must: `(${inList} OR ${inText})` }
}

/** Lower case is JavaScript's, which SQL has of ASCII only. */
function containsAnyCase(field: string, value: string, parameters: Parameters): Bounds {
  const isEither = `COALESCE(jsonb_typeof(${field}), '') IN ('string', 'array')`
  const needle = value.toLowerCase()
  if (!ascii.test(needle)) return { may: isEither, must: 'false' }
  const wanted = parameters.add(bareText(needle))
  const lower = (text: string) => `lower(${text} COLLATE "C")`
  const inText = where(isText(field), `strpos(${lower(textOf(field))}, ${wanted}) > 0`)
  const items = (sql: string) =>
    where(
      `COALESCE(jsonb_typeof(${field}), '') = 'array'`,
      `EXISTS (SELECT FROM jsonb_array_elements(${field}) item WHERE jsonb_typeof(item.value) = 'string' AND ${sql})`,
    )
  const item = "(item.value #>> '{}')"
  const must = `(${inText} OR ${items(`${lower(item)} = ${wanted}`)})`
  const isOther = (text: string) => `${text} ~ '[^\\x01-\\x7f]'`
  const other = `(${where(isText(field), isOther(textOf(field)))} OR ${items(isOther(item))})`
  return { may: `(${must} OR ${other})`, must }
}

function ordered(field: string, operator: string, value: unknown, parameters: Parameters): Bounds {
  const sign = { gt: '>', gte: '>=', lt: '<', lte: '<=' }[operator] as string
  if (typeof value === 'number') {
    const isNumber = `COALESCE(jsonb_typeof(${field}), '') = 'number'`
    return known(where(isNumber, `${field} ${sign} ${json(value, parameters)}`))
  }
  if (typeof value !== 'string') return known('false')
  if (!inOneOrder.test(value)) return { may: isText(field), must: 'false' }
  return known(where(isText(field), `${textOf(field)} COLLATE "C" ${sign} ${parameters.add(bareText(value))}`))
}

function testOf(test: Test, alias: string, parameters: Parameters): Bounds {
  const field = fieldOf(test, alias, parameters)
  if (field === null) return unknown
  const value = comparedWith(test)
  switch (test.operator) {
    case 'exists':
      return known(`(${field} IS ${value ? 'NOT ' : ''}NULL)`)
    case 'eq':
      return known(`COALESCE(${field} = ${json(value, parameters)}, false)`)
    case 'ne':
      return known(`COALESCE(${field} <> ${json(value, parameters)}, true)`)
    case 'in':
      return known(oneOf(field, value as unknown[], parameters))
    case 'nin':
      return known(`(NOT ${oneOf(field, value as unknown[], parameters)})`)
    case 'contains':
      return contains(field, value, parameters)
    case 'icontains':
      return containsAnyCase(field, value as string, parameters)
    case 'startsWith': {
      const begins = where(isText(field), `starts_with(${textOf(field)}, ${parameters.add(bareText(value as string))})`)
      return halfAtAnEnd.test(value as string) ? { may: isText(field), must: begins } : known(begins)
    }
    default:
      return ordered(field, test.operator, value, parameters)
  }
}

function boundsOf(node: FilterNode, alias: string, parameters: Parameters): Bounds {
  if (node.type === 'test') return testOf(node, alias, parameters)
  if (node.type === 'not') {
    const { may, must } = boundsOf(node.node, alias, parameters)
    return { may: `(NOT ${must})`, must: `(NOT ${may})` }
  }
  const all = node.nodes.map((inner) => boundsOf(inner, alias, parameters))
  if (all.length === 0) return known(node.type === 'and' ? 'true' : 'false')
  const join = (side: keyof Bounds) => `(${all.map((one) => one[side]).join(node.type === 'and' ? ' AND ' : ' OR ')})`
  return { may: join('may'), must: join('must') }
}

/** Larger filters are left to whoever looks at the records. */
const mostTests = 200

function countTests(node: FilterNode): number {
  if (node.type === 'test') return 1
  return node.type === 'not' ? countTests(node.node) : node.nodes.reduce((sum, inner) => sum + countTests(inner), 0)
}

/** Values whose places in the statement are not decided yet: of both bounds only one is asked for, and it may need fewer. */
function openParameters(): Parameters & { settle(sql: string, parameters: Parameters): string } {
  const values: unknown[] = []
  return {
    values,
    add(value) {
      values.push(value)
      return `?${values.length}?`
    },
    settle(sql, parameters) {
      const places = new Map<string, string>()
      return sql.replaceAll(/\?(\d+)\?/g, (mark, number: string) => {
        const place = places.get(mark) ?? parameters.add(values[Number(number) - 1])
        places.set(mark, place)
        return place
      })
    },
  }
}

/** A filter as a condition on a row of `{searched}`. */
function filterCondition(filter: FilterNode, alias: string, parameters: Parameters): Condition {
  if (countTests(filter) > mostTests) return { sql: 'true', exact: false }
  const open = openParameters()
  const { may, must } = boundsOf(filter, alias, open)
  return { sql: open.settle(may, parameters), exact: may === must }
}

/** The conditions of a list or of a window that a row of `{searched}` answers. */
export function conditionsOf(
  { tags, filter, since, until, validAt }: Pick<ListQuery, 'tags' | 'filter' | 'since' | 'until' | 'validAt'>,
  alias: string,
  parameters: Parameters,
): Condition {
  const all: Condition[] = []
  const add = (sql: string) => all.push({ sql, exact: true })
  if (tags !== undefined && tags.length > 0) add(`${alias}.facts -> 'r' -> 'tags' @> ${json(tags, parameters)}`)
  if (since !== undefined) add(`${alias}.moment >= ${parameters.add(since)}::bigint`)
  if (until !== undefined) add(`${alias}.moment < ${parameters.add(until)}::bigint`)
  if (validAt !== undefined) {
    const at = `${parameters.add(validAt)}::bigint`
    add(`(${alias}.valid_from IS NULL OR ${alias}.valid_from <= ${at})`)
    add(`(${alias}.valid_to IS NULL OR ${at} < ${alias}.valid_to)`)
  }
  if (filter !== undefined) all.push(filterCondition(filter, alias, parameters))
  if (all.length === 0) return { sql: 'true', exact: true }
  return { sql: all.map(({ sql }) => sql).join(' AND '), exact: all.every(({ exact }) => exact) }
}
