import { InputError } from '../errors/index.ts'
import { equalJson, isPlainObject, parseJson } from './json.ts'
import { reading } from './reading.ts'
import type { MemoryRecord } from './record.ts'
import { parseInstant } from './time.ts'

/**
 * The filter grammar (FLT): `{ field: value | { eq, ne, gt, gte, lt, lte, in, nin, contains, icontains, startsWith, exists } }`,
 * `AND`, `OR`, `NOT`, nested at will; `$` in front of an operator is accepted. A bare field is a path into metadata,
 * `record.` reaches every field of the record.
 */
export type Filter = { readonly [field: string]: unknown }

const operators = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'contains',
  'icontains',
  'startsWith',
  'exists',
] as const
export type Operator = (typeof operators)[number]

/** A checked filter: the tree that the evaluator and the stores' pre-selections read. */
export type FilterNode =
  | { readonly type: 'and' | 'or'; readonly nodes: readonly FilterNode[] }
  | { readonly type: 'not'; readonly node: FilterNode }
  | {
      readonly type: 'test'
      readonly root: 'metadata' | 'record'
      readonly path: readonly string[]
      readonly operator: Operator
      /** JSON; for time fields of the record epoch milliseconds. */
      readonly value: unknown
      readonly time: boolean
    }

const maxDepth = 32
/** Most filters inside of one; shared parts count each time they are met. */
const maxNodes = 10_000
/** Longer names can't be asked for: every dot in one is a place where the look-up branches. */
const maxFieldLength = 1024

const recordFields: Readonly<Record<string, 'plain' | 'time' | 'free' | readonly string[]>> = {
  id: 'plain',
  kind: 'plain',
  content: 'plain',
  data: 'free',
  key: 'plain',
  scope: ['appId', 'userId', 'agentId', 'sessionId', 'namespace'],
  tags: 'plain',
  metadata: 'free',
  importance: 'plain',
  confidence: 'plain',
  reliability: 'plain',
  source: ['type', 'actor', 'ref', 'quote', 'from'],
  trust: 'plain',
  eventTime: ['start', 'end', 'zone', 'granularity'],
  validFrom: 'time',
  validTo: 'time',
  createdAt: 'time',
  updatedAt: 'time',
  lastAccessedAt: 'time',
  accessCount: 'plain',
  expiresAt: 'time',
  pinned: 'plain',
  status: 'plain',
  supersedes: 'plain',
  supersededBy: 'plain',
  version: 'plain',
}

function refuse(message: string, field: string): InputError {
  return new InputError({ code: 'INVALID_FILTER', message, details: { field } })
}

function parseField(field: string): { root: 'metadata' | 'record'; path: readonly string[]; time: boolean } {
  if (field.length > maxFieldLength) {
    throw refuse(`filter: a field name is longer than ${maxFieldLength} characters.`, field.slice(0, 64))
  }
  if (!field.startsWith('record.')) {
    if (field === '') throw refuse('filter: a field name is empty.', field)
    return { root: 'metadata', path: field.split('.'), time: false }
  }
  const path = field.slice('record.'.length).split('.')
  const [first, second] = path as [string, string | undefined]
  const shape = Object.hasOwn(recordFields, first) ? recordFields[first] : undefined
  const known =
    shape !== undefined &&
    (shape === 'free' ||
      path.length === 1 ||
      (Array.isArray(shape) && path.length === 2 && shape.includes(second as string)))
  if (!known)
    throw refuse(`filter: ${field} is no field of a record. Metadata fields are written without "record.".`, field)
  const time = shape === 'time' || (first === 'eventTime' && (second === 'start' || second === 'end'))
  return { root: 'record', path, time }
}

/** A copy of what a field is compared with, so that the caller's object stays the caller's. */
function parseValue(value: unknown, field: string): unknown {
  try {
    return parseJson(value, field)
  } catch {
    throw refuse(`filter: ${field} is compared with something that is not JSON.`, field)
  }
}

function parseTime(value: unknown, field: string): unknown {
  if (value === null) return null
  try {
    return parseInstant(value, field)
  } catch (cause) {
    throw new InputError({
      code: 'INVALID_FILTER',
      message: `filter: ${field} is a time and must be compared with an ISO 8601 time with an offset.`,
      details: { field },
      cause,
    })
  }
}

function parseTest(field: string, operator: Operator, raw: unknown): FilterNode {
  const { root, path, time } = parseField(field)
  const list = operator === 'in' || operator === 'nin'
  if (list && !Array.isArray(raw)) throw refuse(`filter: ${operator} on ${field} needs an array.`, field)
  if (operator === 'exists' && typeof raw !== 'boolean')
    throw refuse(`filter: exists on ${field} needs true or false.`, field)
  const textual = operator === 'icontains' || operator === 'startsWith'
  if (textual && typeof raw !== 'string') throw refuse(`filter: ${operator} on ${field} needs a string.`, field)
  const ordering = operator === 'gt' || operator === 'gte' || operator === 'lt' || operator === 'lte'
  if (ordering && typeof raw !== 'number' && typeof raw !== 'string') {
    throw refuse(`filter: ${operator} on ${field} needs a number or a string.`, field)
  }
  const given = parseValue(raw, field)
  const comparesTime = time && operator !== 'exists' && operator !== 'contains' && !textual
  const value = !comparesTime
    ? given
    : list
      ? (given as unknown[]).map((item) => parseTime(item, field))
      : parseTime(given, field)
  return { type: 'test', root, path, operator, value, time: comparesTime }
}

/** An object of operators only, such as `{ eq: 1 }`. */
function isComparison(value: unknown): boolean {
  if (!isPlainObject(value)) return false
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => operators.includes(name.replace(/^\$/, '') as Operator))
}

function parseNode(value: unknown, depth: number, budget: { nodes: number }): FilterNode {
  if (--budget.nodes < 0) throw refuse(`filter: more than ${maxNodes} parts.`, '')
  if (!isPlainObject(value)) throw refuse('filter: must be an object such as { city: "Bremen" }.', '')
  if (depth > maxDepth) throw refuse(`filter: nested deeper than ${maxDepth} levels.`, '')
  const nodes: FilterNode[] = []
  for (const [field, raw] of Object.entries(value)) {
    const connective = field.startsWith('$') ? field.slice(1).toUpperCase() : field
    if (connective === 'AND' || connective === 'OR') {
      if (!Array.isArray(raw)) throw refuse(`filter: ${connective} needs an array of filters.`, field)
      nodes.push({
        type: connective === 'AND' ? 'and' : 'or',
        nodes: raw.map((item) => parseNode(item, depth + 1, budget)),
      })
    } else if (connective === 'NOT') {
      const inner: FilterNode = Array.isArray(raw)
        ? { type: 'or', nodes: raw.map((item) => parseNode(item, depth + 1, budget)) }
        : parseNode(raw, depth + 1, budget)
      nodes.push({ type: 'not', node: inner })
    } else if (field.startsWith('$')) {
      throw refuse(`filter: unknown operator ${field}.`, field)
    } else if (/^(and|or|not)$/i.test(field) && (Array.isArray(raw) || isPlainObject(raw)) && !isComparison(raw)) {
      // Taken as a metadata field it would silently find nothing.
      const meant = field.toUpperCase()
      throw refuse(
        `filter: "${field}" looks like ${meant}. Write ${meant}, or { ${field}: { eq: … } } for a metadata field.`,
        field,
      )
    } else if (isPlainObject(raw)) {
      const tests = Object.entries(raw)
      if (tests.length === 0) throw refuse(`filter: ${field} has no operator. Use eq to compare with an object.`, field)
      for (const [name, operand] of tests) {
        const operator = (name.startsWith('$') ? name.slice(1) : name) as Operator
        if (!operators.includes(operator)) {
          throw new InputError({
            code: 'INVALID_FILTER',
            message: `filter: unknown operator ${name} on ${field}. Known: ${operators.join(', ')}.`,
            details: { field, operator: name },
          })
        }
        nodes.push(parseTest(field, operator, operand))
      }
    } else {
      nodes.push(parseTest(field, 'eq', raw))
    }
  }
  return nodes.length === 1 ? (nodes[0] as FilterNode) : { type: 'and', nodes }
}

/**
 * Checks a filter. The caller's object is only read.
 * @throws InputError INVALID_FILTER naming the field or operator that does not exist
 */
export function parseFilter(value: unknown): FilterNode {
  return reading('filter', () => parseNode(value, 0, { nodes: maxNodes }))
}

const missing = Symbol('missing')

/** A key that holds a dot is reached by its own name: the longest name that exists wins at every level. */
function lookUp(value: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return value === undefined ? missing : value
  if (!isPlainObject(value)) return missing
  for (let length = path.length; length > 0; length--) {
    const key = length === 1 ? (path[0] as string) : path.slice(0, length).join('.')
    if (Object.hasOwn(value, key)) {
      const found = lookUp(value[key], path.slice(length))
      if (found !== missing) return found
    }
  }
  return missing
}

function compare(actual: unknown, operator: 'gt' | 'gte' | 'lt' | 'lte', value: unknown): boolean {
  if (typeof actual !== typeof value) return false
  const [a, b] = [actual as number | string, value as number | string]
  if (operator === 'gt') return a > b
  if (operator === 'gte') return a >= b
  if (operator === 'lt') return a < b
  return a <= b
}

function contains(actual: unknown, value: unknown): boolean {
  if (Array.isArray(actual)) return actual.some((item) => equalJson(item, value))
  return typeof actual === 'string' && typeof value === 'string' && actual.includes(value)
}

function containsAnyCase(actual: unknown, value: string): boolean {
  const needle = value.toLowerCase()
  const matches = (text: unknown) => typeof text === 'string' && text.toLowerCase().includes(needle)
  return Array.isArray(actual)
    ? actual.some((item) => typeof item === 'string' && item.toLowerCase() === needle)
    : matches(actual)
}

function test(actual: unknown, operator: Operator, value: unknown): boolean {
  if (operator === 'exists') return (actual !== missing) === value
  if (actual === missing) return operator === 'ne' || operator === 'nin'
  switch (operator) {
    case 'eq':
      return equalJson(actual, value)
    case 'ne':
      return !equalJson(actual, value)
    case 'in':
      return (value as unknown[]).some((item) => equalJson(actual, item))
    case 'nin':
      return !(value as unknown[]).some((item) => equalJson(actual, item))
    case 'contains':
      return contains(actual, value)
    case 'icontains':
      return containsAnyCase(actual, value as string)
    case 'startsWith':
      return typeof actual === 'string' && actual.startsWith(value as string)
    default:
      return compare(actual, operator, value)
  }
}

/** The one evaluator of filters: whatever a store selects is checked with it (FLT-1). */
export function matchesFilter(node: FilterNode, record: MemoryRecord): boolean {
  switch (node.type) {
    case 'and':
      return node.nodes.every((inner) => matchesFilter(inner, record))
    case 'or':
      return node.nodes.some((inner) => matchesFilter(inner, record))
    case 'not':
      return !matchesFilter(node.node, record)
    case 'test': {
      const found = lookUp(node.root === 'metadata' ? record.metadata : record, node.path)
      const actual = node.time && typeof found === 'string' ? Date.parse(found) : found
      return test(actual, node.operator, node.value)
    }
  }
}
