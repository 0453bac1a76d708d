import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyFilter, anyRecord, naiveMatch, recordWith } from '../../test/fixtures/reference-filter.ts'
import { runs } from '../../test/fixtures/reference-runs.ts'
import { type MemoryRecord, matchesFilter, parseFilter } from './index.ts'

const matches = (filter: unknown, record: MemoryRecord): boolean => matchesFilter(parseFilter(filter), record)
const on = (filter: unknown, metadata: unknown): boolean =>
  matches(filter, recordWith({ metadata: metadata as MemoryRecord['metadata'] }))
describe('the evaluator against an independent reading of the grammar', () => {
  it('[FLT-1] random filters over random records give what the grammar says', () => {
    fc.assert(
      fc.property(anyFilter, anyRecord, (given, one) => {
        expect(matches(given, one)).toBe(naiveMatch(given, one))
      }),
      runs(20_000),
    )
  })

  it('[FLT-6] NOT is the complement, AND the meet, OR the join', () => {
    fc.assert(
      fc.property(anyFilter, anyFilter, anyRecord, (a, b, one) => {
        const [hasA, hasB] = [matches(a, one), matches(b, one)]
        expect(matches({ NOT: a }, one)).toBe(!hasA)
        expect(matches({ AND: [a, b] }, one)).toBe(hasA && hasB)
        expect(matches({ OR: [a, b] }, one)).toBe(hasA || hasB)
        expect(matches({ NOT: [a, b] }, one)).toBe(!(hasA || hasB))
      }),
      runs(3000),
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
      fc.property(anyFilter, anyRecord, (given, one) => {
        expect(parseFilter(dollared(given))).toEqual(parseFilter(given))
        expect(matches(dollared(given), one)).toBe(matches(given, one))
      }),
      runs(2000),
    )
  })

  it("[FLT-9] the caller's filter and the record are only read", () => {
    const frozen = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner)
      return Object.freeze(value)
    }
    fc.assert(
      fc.property(anyFilter, anyRecord, (given, one) => {
        const [filterBefore, recordBefore] = [structuredClone(given), structuredClone(one)]
        matches(frozen(given), frozen(one))
        expect(given).toEqual(filterBefore)
        expect(one).toEqual(recordBefore)
      }),
      runs(1000),
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
