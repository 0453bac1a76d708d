import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/fixtures/reference-runs.ts'
import { parseFilter } from './index.ts'

function refusal(filter: unknown): { message: string; shown: string; details: unknown } {
  try {
    parseFilter(filter)
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: unknown }
    expect(code).toBe('INVALID_FILTER')
    return { message, details, shown: `${message} ${JSON.stringify(error)}` }
  }
  throw new Error(`not refused: ${JSON.stringify(filter)}`)
}

describe('filters that are refused', () => {
  it('[FLT-7] an unknown operator is named, with its field', () => {
    for (const name of ['between', '$regex', 'like', 'not', 'AND', 'Eq', '__proto__', 'toString']) {
      const { message, details } = refusal({ n: Object.fromEntries([[name, 5]]) })
      expect(message).toContain(`unknown operator ${name} on n`)
      expect(details).toEqual({ field: 'n', operator: name })
    }
    expect(refusal({ n: { gt: 1, between: [1, 2] } }).message).toContain('between')
    expect(refusal({ AND: [{ OR: [{ NOT: { n: { between: 1 } } }] }] }).message).toContain('between')
    expect(refusal({ $nor: [{ a: 1 }] }).message).toContain('$nor')
    expect(refusal({ $eq: 1 }).message).toContain('$eq')
  })

  it('[FLT-7] an unknown field of the record is named', () => {
    const unknown = [
      ...['record.colour', 'record.', 'record.scope.user', 'record.source.actor.name', 'record.createdAt.year'],
      ...['record.eventTime.from', 'record.__proto__', 'record.toString', 'record.tags.0', 'record.Importance'],
    ]
    for (const field of unknown) {
      const { message, details } = refusal({ [field]: 1 })
      expect(message).toContain(field)
      expect(details).toEqual({ field })
    }
  })

  it('[FLT-7] operands of the wrong type are refused: nothing is guessed and nothing matches silently', () => {
    const wrong: [string, unknown][] = [
      ['in', 'a'],
      ['in', { 0: 'a' }],
      ['nin', null],
      ['exists', 1],
      ['exists', 'true'],
      ['icontains', 1],
      ['startsWith', null],
      ['gt', null],
      ['gte', true],
      ['lt', [1]],
      ['lte', { n: 1 }],
    ]
    for (const [operator, operand] of wrong) {
      const { message } = refusal({ n: { [operator]: operand } })
      expect(message).toContain(operator)
      expect(message).toContain('n')
    }
  })

  it('[FLT-10] a value that is not JSON is refused, however deep it lies', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const hole = [1, 2]
    delete hole[0]
    const values = [
      ...[Number.NaN, Number.POSITIVE_INFINITY, new Date(), new Set([1]), /x/, () => 1, 1n, Symbol('x'), undefined],
      ...[cycle, hole, new (class Point {})(), new Map(), new Uint8Array(1)],
    ]
    for (const value of values) {
      for (const given of [{ eq: value }, { in: [value] }, { eq: { deep: [value] } }, { nin: [[value]] }]) {
        expect(refusal({ city: given }).message).toContain('city')
      }
      expect(refusal({ city: value }).message).toContain('city')
    }
  })

  it('[FLT-5] a time of the record is compared with a time, naive ones are refused', () => {
    for (const operand of ['2026-05-08', '2026-05-08T11:56:00', 'yesterday', 1_778_241_360_000, '']) {
      for (const given of [operand, { gt: operand }, { in: [operand] }, { ne: operand }]) {
        expect(refusal({ 'record.createdAt': given }).message).toContain('record.createdAt')
      }
    }
    expect(refusal({ 'record.createdAt': { in: ['2026-05-08T11:56:00Z', 5] } }).message).toContain('record.createdAt')
  })

  it('[FLT-7] what is no filter is refused: never does it widen a result', () => {
    const junk = [null, undefined, 'city', 7, true, [], [{ city: 'Bremen' }], new Map([['city', 'Bremen']]), new Date()]
    for (const given of junk) {
      refusal(given)
      refusal({ AND: [given] })
      refusal({ NOT: given === undefined ? null : Array.isArray(given) ? [given] : given })
    }
    for (const connective of ['AND', 'OR', '$and']) refusal({ [connective]: { city: 'Bremen' } })
    refusal({ city: {} })
    refusal({ '': 1 })
    refusal({ [Array(1100).join('.')]: 1 })
  })

  it('[FLT-7] nesting ends somewhere, cycles too', () => {
    const nested = (depth: number): unknown => (depth === 0 ? { a: 1 } : { NOT: nested(depth - 1) })
    expect(() => parseFilter(nested(32))).not.toThrow()
    refusal(nested(33))
    const endless: Record<string, unknown> = {}
    endless.AND = [endless]
    refusal(endless)
  })

  it('[FLT-11] what is refused is not repeated: values never, names only', () => {
    const marker = fc.stringMatching(/^[a-z]{12}$/).map((text) => `mk${text}mk`)
    fc.assert(
      fc.property(marker, (secret) => {
        const bad = [
          { city: { gt: { is: secret } } },
          { city: { exists: secret } },
          { city: { in: secret } },
          { city: { eq: [secret, Number.NaN] } },
          { city: { eq: { [secret]: Number.NaN } } },
          { 'record.createdAt': secret },
          { 'record.createdAt': { in: [secret] } },
          { AND: secret },
          { OR: [secret] },
          secret,
        ]
        for (const filter of bad) expect(refusal(filter).shown).not.toContain(secret)
      }),
      runs(20),
    )
  })
})
