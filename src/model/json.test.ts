import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/fixtures/reference-runs.ts'
import { canonicalJson, equalJson, type JsonValue, parseJson } from './index.ts'

const value = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }) as fc.Arbitrary<JsonValue>

/** The same value with the keys of every object in another order. */
function reordered(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(reordered)
  if (typeof given !== 'object' || given === null) return given
  return Object.fromEntries(
    Object.entries(given)
      .reverse()
      .map(([key, item]) => [key, reordered(item)]),
  )
}

describe('JSON values', () => {
  it('[JSN-1] a copy is equal, and its own', () => {
    fc.assert(
      fc.property(value, (given) => {
        const copy = parseJson(given, 'data')
        expect(JSON.stringify(copy)).toBe(JSON.stringify(given))
        expect(equalJson(copy, parseJson(given, 'data'))).toBe(true)
        if (typeof given === 'object' && given !== null) expect(copy).not.toBe(given)
      }),
      runs(1000),
    )
    const inner = ['a']
    const copy = parseJson({ inner }, 'data') as { inner: string[] }
    inner.push('b')
    expect(copy.inner).toEqual(['a'])
  })

  it('[JSN-1] awkward keys and strings survive', () => {
    const text = '{"__proto__":{"x":1},"constructor":null,"":0,"a.b":1,"10":1,"9":2}'
    const copy = parseJson(JSON.parse(text), 'data') as Record<string, JsonValue>
    expect(JSON.stringify(copy)).toBe(JSON.stringify(JSON.parse(text)))
    expect(Object.hasOwn(copy, '__proto__')).toBe(true)
    expect(({} as Record<string, unknown>).x).toBeUndefined()
    for (const hard of ['\u0000', '\ud800', 'a\udc00b', '\u2028', '\uffff', '😀'])
      expect(parseJson(hard, 'data')).toBe(hard)
  })

  it('[JSN-2] what is not JSON is refused with its path, and never repeated', () => {
    class Point {
      readonly x = 'S3cr3t'
    }
    const cycle: Record<string, unknown> = { a: {} }
    ;(cycle.a as Record<string, unknown>).back = cycle
    const hole = ['S3cr3t', 'b']
    delete hole[1]
    const cases: readonly [unknown, string][] = [
      [Number.NaN, 'data'],
      [Number.NEGATIVE_INFINITY, 'data'],
      [undefined, 'data'],
      [{ a: undefined }, 'data.a'],
      [{ list: [1, { when: new Date() }] }, 'data.list[1].when'],
      [[new Set(['S3cr3t'])], 'data[0]'],
      [{ a: new Map([['S3cr3t', 1]]) }, 'data.a'],
      [{ a: new Point() }, 'data.a'],
      [{ a: Object.create({ inherited: 'S3cr3t' }) }, 'data.a'],
      [{ a: 10n ** 30n }, 'data.a'],
      [{ a: Symbol('S3cr3t') }, 'data.a'],
      [{ a: () => 'S3cr3t' }, 'data.a'],
      [{ a: { toJSON: () => 'S3cr3t' } }, 'data.a.toJSON'],
      [{ a: new String('S3cr3t') }, 'data.a'],
      [{ a: Buffer.from('S3cr3t') }, 'data.a'],
      [{ a: Promise.resolve('S3cr3t') }, 'data.a'],
      [cycle, 'data.a.back'],
      [hole, 'data[1]'],
    ]
    for (const [given, path] of cases) {
      expect(() => parseJson(given, 'data'), path).toThrowError(
        expect.objectContaining({ code: 'INVALID_RECORD', details: { path } }),
      )
      expect(() => parseJson(given, 'data')).not.toThrowError(/S3cr3t/)
    }
  })

  it('[JSN-2] the same object in two places is no cycle; depth ends at 100', () => {
    const shared = { a: 1 }
    expect(parseJson([shared, { shared }], 'data')).toEqual([{ a: 1 }, { shared: { a: 1 } }])
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
    expect(() => parseJson(nested(100), 'data')).not.toThrow()
    expect(() => parseJson(nested(101), 'data')).toThrowError(/deeper than 100/)
  })

  it('[JSN-3] equality knows no order of keys, and nothing else is lenient', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(equalJson(a, reordered(a))).toBe(true)
        expect(equalJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b))
      }),
      runs(2000),
    )
    const different: [unknown, unknown][] = [
      [1, '1'],
      [null, undefined],
      [[], {}],
      [{ length: 0 }, []],
      [
        [1, 2],
        [2, 1],
      ],
      [{ a: 1 }, { a: 1, b: 1 }],
      [{ a: 1 }, { b: 1 }],
      [{ a: null }, {}],
      [JSON.parse('{"__proto__":1}'), {}],
      [JSON.parse('{"__proto__":{}}'), JSON.parse('{"toString":{}}')],
      [null, {}],
    ]
    for (const [a, b] of different) expect(equalJson(a, b) || equalJson(b, a), JSON.stringify([a, b])).toBe(false)
  })

  it('[JSN-3] one spelling for equal values, the keys in it sorted, __proto__ among them', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}')
    expect(canonicalJson(JSON.parse('{"z":1,"__proto__":{"b":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"b":1},"z":1}')
    fc.assert(
      fc.property(value, (given) => {
        expect(canonicalJson(given)).toBe(canonicalJson(reordered(given)))
      }),
    )
  })
})
