import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Filter, type JsonValue, type MemoryRecord, matchesFilter, parseFilter } from './index.ts'

const base: MemoryRecord = {
  id: 'r1',
  kind: 'semantic',
  content: 'Ann plays the cello',
  scope: { userId: 'ann', namespace: ['acme', 'eu'] },
  tags: ['music', 'home'],
  metadata: {},
  importance: 0.5,
  confidence: 1,
  reliability: 1,
  source: { type: 'user', actor: 'Ann', from: ['r0'] },
  trust: 'trusted',
  createdAt: '2026-05-08T11:56:00.000Z',
  updatedAt: '2026-05-09T00:00:00.000Z',
  accessCount: 0,
  pinned: false,
  status: 'live',
  version: 1,
}

const recordWith = (fields: Partial<MemoryRecord>): MemoryRecord => ({ ...base, ...fields })
const matches = (filter: unknown, record: MemoryRecord): boolean => matchesFilter(parseFilter(filter), record)
const on = (filter: unknown, metadata: unknown): boolean =>
  matches(filter, recordWith({ metadata: metadata as MemoryRecord['metadata'] }))

const key = fc.constantFrom('a', 'b', 'c', 'a.b', 'b.c', '__proto__', 'constructor', 'Ä', 'length')
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, 0, 1, 2, 10, -1, 0.5, '', '0', '1', '10', 'a', 'ab', 'AB', 'b', 'null'),
  fc.constantFrom<JsonValue>('2026-05-08T11:56:00.000Z', '2026-05-08T13:56:00+02:00', '\u00df', 'SS', '\ud800'),
)
/** Entries and not assignment: `__proto__` must become a key of its own. */
const objectOf = (value: fc.Arbitrary<JsonValue>): fc.Arbitrary<Record<string, JsonValue>> =>
  fc.array(fc.tuple(key, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries))
const level0 = fc.oneof({ weight: 3, arbitrary: scalar }, { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) })
const level1 = fc.oneof({ weight: 2, arbitrary: level0 }, { weight: 2, arbitrary: objectOf(level0) })
const json = fc.oneof({ weight: 2, arbitrary: level1 }, { weight: 2, arbitrary: objectOf(level1) })
const metadata = objectOf(json)

const instant = fc.constantFrom(
  '2026-05-08T11:56:00.000Z',
  '2026-05-08T13:56:00+02:00',
  '2026-05-08T11:56:00.001Z',
  '2026-05-08T23:56:00+14:00',
  '2025-01-01T00:00:00Z',
)
const record = fc
  .record({
    metadata,
    importance: fc.constantFrom(0, 0.5, 1),
    tags: fc.subarray(['a', 'ab', '1', 'music']),
    createdAt: fc.constantFrom('2026-05-08T11:56:00.000Z', '2026-05-08T11:56:00.001Z', '2025-01-01T00:00:00.000Z'),
    key: fc.constantFrom(undefined, 'a', 'ab'),
    data: fc.oneof(fc.constant(undefined), json),
    lastAccessedAt: fc.constantFrom(undefined, '2026-05-08T11:56:00.000Z'),
    eventTime: fc.constantFrom(undefined, { start: '2026-05-08T11:56:00.000Z', granularity: 'day' as const }),
  })
  .map((fields) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    return recordWith(Object.fromEntries(given) as Partial<MemoryRecord>)
  })

const metadataField = fc.array(key, { minLength: 1, maxLength: 3 }).map((keys) => keys.join('.'))
const plainField = fc.oneof(
  { weight: 6, arbitrary: metadataField },
  { weight: 1, arbitrary: metadataField.map((path) => `record.metadata.${path}`) },
  { weight: 1, arbitrary: metadataField.map((path) => `record.data.${path}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['record.importance', 'record.tags', 'record.key', 'record.kind', 'record.pinned', 'record.scope.userId'],
      ...['record.scope.agentId', 'record.scope.namespace', 'record.source.actor', 'record.source.from'],
      ...['record.eventTime.granularity', 'record.eventTime.zone', 'record.supersedes', 'record.version'],
    ),
  },
)
const timeField = fc.constantFrom(
  'record.createdAt',
  'record.lastAccessedAt',
  'record.expiresAt',
  'record.eventTime.start',
)
const order = fc.constantFrom('gt', 'gte', 'lt', 'lte')
const text = fc.constantFrom('', 'a', 'A', 'b', 'ab', '1', 'SS', '\u00df')

const test: fc.Arbitrary<Record<string, unknown>> = fc
  .oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom('eq', 'ne', 'contains'), json) },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom('in', 'nin'), fc.array(json, { maxLength: 3 })) },
    {
      weight: 2,
      arbitrary: fc.tuple(
        order,
        scalar.filter((value) => typeof value === 'number' || typeof value === 'string'),
      ),
    },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom('icontains', 'startsWith'), text) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('exists'), fc.boolean()) },
  )
  .map(([operator, value]) => ({ [operator as string]: value }))
const timeTest: fc.Arbitrary<Record<string, unknown>> = fc
  .oneof(
    fc.tuple(fc.oneof(order, fc.constantFrom('eq', 'ne')), instant),
    fc.tuple(fc.constantFrom('eq', 'ne'), fc.constant(null)),
    fc.tuple(fc.constantFrom('in', 'nin'), fc.array(fc.oneof(instant, fc.constant(null)), { maxLength: 2 })),
    fc.tuple(fc.constant('exists'), fc.boolean()),
  )
  .map(([operator, value]) => ({ [operator as string]: value }))
const several = (one: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> =>
  fc.array(one, { minLength: 1, maxLength: 2 }).map((tests) => Object.assign({}, ...tests) as Record<string, unknown>)

const condition: fc.Arbitrary<Record<string, unknown>> = fc
  .oneof(
    { weight: 6, arbitrary: fc.tuple(plainField, several(test)) },
    { weight: 2, arbitrary: fc.tuple(timeField, several(timeTest)) },
    { weight: 2, arbitrary: fc.tuple(plainField, level0) },
  )
  .map(([field, value]) => Object.fromEntries([[field, value]]))

const { filter } = fc.letrec<{ filter: Record<string, unknown> }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    condition,
    fc.array(condition, { maxLength: 3 }).map((parts) => Object.fromEntries(parts.flatMap(Object.entries))),
    fc.array(tie('filter'), { maxLength: 3 }).map((AND) => ({ AND })),
    fc.array(tie('filter'), { maxLength: 3 }).map((OR) => ({ OR })),
    tie('filter').map((NOT) => ({ NOT })),
    fc.tuple(condition, tie('filter')).map(([first, second]) => ({ ...first, NOT: second })),
  ),
}))

// The independent reading of the grammar, straight from the filter as it was written.

const absent = Symbol('absent')
type Found = JsonValue | typeof absent

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value
  return Object.entries(value)
    .map(([name, item]) => [name, sorted(item)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))
    .concat([['object', true]])
}

/** Every way to read `path` as keys inside keys, those with the longest first key first; the first that leads somewhere. */
function read(value: unknown, path: string): Found {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return absent
  const names = Object.keys(value)
    .filter((name) => path === name || path.startsWith(`${name}.`))
    .sort((a, b) => b.length - a.length)
  for (const name of names) {
    const inner = Object.getOwnPropertyDescriptor(value, name)?.value as JsonValue
    if (path === name) return inner
    const found = read(inner, path.slice(name.length + 1))
    if (found !== absent) return found
  }
  return absent
}

function holds(found: Found, operator: string, operand: unknown): boolean {
  if (operator === 'exists') return operand ? found !== absent : found === absent
  if (operator === 'ne') return !holds(found, 'eq', operand)
  if (operator === 'nin') return !holds(found, 'in', operand)
  if (found === absent) return false
  if (operator === 'eq') return equal(found, operand)
  if (operator === 'in') return (operand as unknown[]).some((one) => equal(found, one))
  if (operator === 'contains' && Array.isArray(found)) return found.some((one) => equal(one, operand))
  if (operator === 'contains') {
    return typeof found === 'string' && typeof operand === 'string' && found.indexOf(operand) >= 0
  }
  if (operator === 'icontains') {
    const needle = (operand as string).toLowerCase()
    if (Array.isArray(found)) return found.some((one) => typeof one === 'string' && one.toLowerCase() === needle)
    return typeof found === 'string' && found.toLowerCase().indexOf(needle) >= 0
  }
  if (operator === 'startsWith') return typeof found === 'string' && found.indexOf(operand as string) === 0
  const sameType =
    (typeof found === 'number' && typeof operand === 'number') ||
    (typeof found === 'string' && typeof operand === 'string')
  if (!sameType) return false
  const [a, b] = [found as number, operand as number]
  return { gt: a > b, gte: a >= b, lt: a < b, lte: a <= b }[operator] as boolean
}

const isTime = (field: string): boolean => /^record\.(createdAt|lastAccessedAt|expiresAt|eventTime\.start)$/.test(field)
const asInstant = (value: unknown): unknown => (typeof value === 'string' ? Date.parse(value) : value)

function naive(given: Filter, one: MemoryRecord): boolean {
  return Object.entries(given).every(([field, value]) => {
    if (field === 'AND') return (value as Filter[]).filter((inner) => naive(inner, one)).length === (value as []).length
    if (field === 'OR') return (value as Filter[]).filter((inner) => naive(inner, one)).length > 0
    if (field === 'NOT') return !naive(value as Filter, one)
    const inRecord = field.startsWith('record.')
    const found = inRecord ? read(one, field.slice('record.'.length)) : read(one.metadata, field)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return Object.entries(isObject ? value : { eq: value }).every(([operator, operand]) => {
      if (!isTime(field)) return holds(found, operator, operand)
      const moment = Array.isArray(operand) ? operand.map(asInstant) : asInstant(operand)
      return holds(found === absent ? absent : (asInstant(found) as JsonValue), operator, moment)
    })
  })
}

describe('the evaluator against an independent reading of the grammar', () => {
  it('[FLT-1] random filters over random records give what the grammar says', () => {
    fc.assert(
      fc.property(filter, record, (given, one) => {
        expect(matches(given, one)).toBe(naive(given, one))
      }),
      { numRuns: 20_000 },
    )
  })

  it('[FLT-6] NOT is the complement, AND the meet, OR the join', () => {
    fc.assert(
      fc.property(filter, filter, record, (a, b, one) => {
        const [hasA, hasB] = [matches(a, one), matches(b, one)]
        expect(matches({ NOT: a }, one)).toBe(!hasA)
        expect(matches({ AND: [a, b] }, one)).toBe(hasA && hasB)
        expect(matches({ OR: [a, b] }, one)).toBe(hasA || hasB)
        expect(matches({ NOT: [a, b] }, one)).toBe(!(hasA || hasB))
      }),
      { numRuns: 3000 },
    )
  })

  it('[FLT-8] spellings with $ mean the same', () => {
    const dollared = (given: unknown): unknown => {
      if (Array.isArray(given)) return given.map(dollared)
      return Object.fromEntries(
        Object.entries(given as object).map(([field, value]) => {
          if (['AND', 'OR', 'NOT'].includes(field)) return [`$${field.toLowerCase()}`, dollared(value)]
          if (typeof value !== 'object' || value === null || Array.isArray(value)) return [field, value]
          return [field, Object.fromEntries(Object.entries(value).map(([name, operand]) => [`$${name}`, operand]))]
        }),
      )
    }
    fc.assert(
      fc.property(filter, record, (given, one) => {
        expect(parseFilter(dollared(given))).toEqual(parseFilter(given))
        expect(matches(dollared(given), one)).toBe(matches(given, one))
      }),
      { numRuns: 2000 },
    )
  })

  it("[FLT-9] the caller's filter and the record are only read", () => {
    const frozen = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner)
      return Object.freeze(value)
    }
    fc.assert(
      fc.property(filter, record, (given, one) => {
        const [filterBefore, recordBefore] = [structuredClone(given), structuredClone(one)]
        matches(frozen(given), frozen(one))
        expect(given).toEqual(filterBefore)
        expect(one).toEqual(recordBefore)
      }),
      { numRuns: 1000 },
    )
  })

  it('[FLT-9] a filter changed after it was parsed changes nothing', () => {
    const wanted = { tags: { eq: { deep: ['a'] } } }
    const parsed = parseFilter(wanted)
    wanted.tags.eq.deep.push('b')
    expect(matchesFilter(parsed, recordWith({ metadata: { tags: { deep: ['a'] } } }))).toBe(true)
  })
})

describe('what filters mean', () => {
  it('[FLT-4] null equals only null and counts as present; missing matches only ne, nin and exists: false', () => {
    const one = { empty: null, blank: '', zero: 0 }
    expect([on({ empty: null }, one), on({ empty: { exists: true } }, one), on({ gone: null }, one)]).toEqual([
      true,
      true,
      false,
    ])
    expect(on({ blank: null }, one) || on({ zero: null }, one) || on({ empty: '' }, one)).toBe(false)
    const missing: [unknown, boolean][] = [
      [{ eq: 1 }, false],
      [{ ne: 1 }, true],
      [{ ne: null }, true],
      [{ in: [null, 1] }, false],
      [{ nin: [null, 1] }, true],
      [{ gt: 0 }, false],
      [{ lte: 'z' }, false],
      [{ contains: 'a' }, false],
      [{ icontains: '' }, false],
      [{ startsWith: '' }, false],
      [{ exists: true }, false],
      [{ exists: false }, true],
    ]
    for (const [wanted, expected] of missing) expect(on({ gone: wanted }, one), JSON.stringify(wanted)).toBe(expected)
  })

  it('[FLT-2] comparison is typed: numbers with numbers, strings with strings', () => {
    expect(on({ n: { gt: 5 } }, { n: '10' })).toBe(false)
    expect(on({ n: { gt: '5' } }, { n: 10 })).toBe(false)
    expect(on({ n: { gt: 5 } }, { n: 10 })).toBe(true)
    expect(on({ n: { lt: '9' } }, { n: '10' })).toBe(true)
    expect(on({ n: 1 }, { n: '1' }) || on({ n: 1 }, { n: true }) || on({ n: '1' }, { n: 1 })).toBe(false)
    expect(on({ n: { gte: 0 } }, { n: null }) || on({ n: { gte: 0 } }, { n: false })).toBe(false)
    expect(on({ o: { eq: { b: 1, a: [1] } } }, { o: { a: [1], b: 1 } })).toBe(true)
  })

  it('[FLT-2] contains is substring on strings and membership on arrays', () => {
    expect(on({ s: { contains: 'ell' } }, { s: 'cello' })).toBe(true)
    expect(on({ s: { contains: 'ELL' } }, { s: 'cello' })).toBe(false)
    expect(on({ s: { icontains: 'ELL' } }, { s: 'cello' })).toBe(true)
    expect(on({ s: { contains: 'ell' } }, { s: ['cello'] })).toBe(false)
    expect(on({ s: { contains: { x: 1 } } }, { s: [{ x: 1 }] })).toBe(true)
    expect(on({ s: { contains: 1 } }, { s: '1' }) || on({ s: { contains: '1' } }, { s: 1 })).toBe(false)
    expect(on({ s: { contains: 'a' } }, { s: { a: 1 } })).toBe(false)
    expect(on({ s: { startsWith: '%' } }, { s: 'cello' }) || on({ s: { contains: '_' } }, { s: 'cello' })).toBe(false)
  })

  it('[FLT-3] paths reach into objects, a key that holds a dot by its own name first', () => {
    expect(on({ 'address.city': 'Bremen' }, { address: { city: 'Bremen' } })).toBe(true)
    expect(on({ 'address.city': 'Bremen' }, { 'address.city': 'Bremen', address: { city: 'Kiel' } })).toBe(true)
    expect(on({ 'address.city': 'Kiel' }, { 'address.city': 'Bremen', address: { city: 'Kiel' } })).toBe(false)
    expect(on({ 'a.b.c': 1 }, { 'a.b': { d: 0 }, a: { b: { c: 1 } } })).toBe(true)
    expect(on({ 'list.0': 'x' }, { list: ['x'] })).toBe(false)
    expect(on({ 'word.length': 5 }, { word: 'cello' }) || on({ 'list.length': 1 }, { list: [1] })).toBe(false)
    expect(on({ 'record.metadata.record.x': 1 }, { 'record.x': 1 })).toBe(true)
    expect(on({ 'record.metadata.$ref': 1 }, { $ref: 1 })).toBe(true)
  })

  it('[FLT-3] names of the language are keys like any other', () => {
    const own = JSON.parse('{"__proto__":{"admin":true},"constructor":"x"}')
    expect(on(JSON.parse('{"__proto__":{"exists":true}}'), own)).toBe(true)
    expect(on({ '__proto__.admin': true }, own)).toBe(true)
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__proto__.toString']) {
      expect(on(Object.fromEntries([[name, { exists: true }]]), {}), name).toBe(false)
      expect(on({ [`record.metadata.${name}`]: { exists: true } }, {}), name).toBe(false)
    }
  })

  it('[FLT-5] times of the record are compared by instant, whatever offset they are written with', () => {
    const one = recordWith({ eventTime: { start: '2026-05-08T11:56:00.000Z', zone: '+02:00' } })
    expect(matches({ 'record.createdAt': '2026-05-08T13:56:00+02:00' }, one)).toBe(true)
    expect(matches({ 'record.createdAt': { gt: '2026-05-08T13:55:59+02:00', lt: '2026-05-08T11:56:01Z' } }, one)).toBe(
      true,
    )
    expect(matches({ 'record.eventTime.start': { in: ['2026-05-08T23:56:00+12:00'] } }, one)).toBe(true)
    expect(matches({ 'record.expiresAt': { ne: '2026-05-08T11:56:00Z' } }, one)).toBe(true)
    expect(matches({ 'record.expiresAt': null }, one)).toBe(false)
    expect(matches({ 'record.createdAt': { startsWith: '2026-05' } }, one)).toBe(true)
    // Metadata has no times: its strings are strings.
    expect(on({ when: '2026-05-08T13:56:00+02:00' }, { when: '2026-05-08T11:56:00Z' })).toBe(false)
  })

  it('[FLT-6] an empty AND is true, an empty OR false, an empty filter everything', () => {
    expect([on({}, {}), on({ AND: [] }, {}), on({ OR: [] }, {}), on({ NOT: [] }, {}), on({ NOT: {} }, {})]).toEqual([
      true,
      true,
      false,
      true,
      false,
    ])
  })

  it('[FLT-6] two ranges on one field both count, alone, in AND and inside OR', () => {
    const numbers = Array.from({ length: 30 }, (_, n) => n)
    const passing = (given: unknown) => numbers.filter((n) => on(given, { n }))
    expect(passing({ n: { gte: 5, lte: 7 } })).toEqual([5, 6, 7])
    expect(passing({ AND: [{ n: { gte: 5 } }, { n: { lte: 7 } }] })).toEqual([5, 6, 7])
    expect(passing({ OR: [{ AND: [{ n: { gte: 5 } }, { n: { lte: 7 } }] }, { n: 20 }] })).toEqual([5, 6, 7, 20])
  })
})
