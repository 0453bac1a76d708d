import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/fixtures/reference-runs.ts'
import {
  isExpired,
  isValidAt,
  maxContentBytes,
  momentOf,
  type NewMemory,
  parseNewMemory,
  parseVector,
} from './index.ts'

const scope = { userId: 'ann' }
const parse = (value: unknown) => parseNewMemory(value, { scope })
const draftOf = (fields: object) => parse({ content: 'x', ...fields }).draft
const refused = (code: string, place: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(`${place}:`) })

/** Everything that a refusal shows, in whatever way it is looked at. */
function refusal(value: unknown): string {
  try {
    parse(value)
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: unknown }
    return [code, message, JSON.stringify(details), JSON.stringify(error), String(error)].join(' ')
  }
  throw new Error('not refused')
}

describe('a new memory', () => {
  it('[REC-2] needs nothing but content; everything else has a default', () => {
    expect(parse({ content: ' Ann plays the cello ' }).draft).toEqual({
      kind: 'semantic',
      content: ' Ann plays the cello ',
      scope,
      tags: [],
      metadata: {},
      importance: 0.5,
      confidence: 1,
      reliability: 1,
      source: { type: 'user' },
      trust: 'trusted',
      pinned: false,
      status: 'live',
      accessCount: 0,
    })
    expect(parseNewMemory({ content: 'x' }, { scope, importance: 0 }).draft.importance).toBe(0)
    expect(parseNewMemory({ content: 'x', importance: 0 }, { scope, importance: 1 }).draft.importance).toBe(0)
  })

  it('[REC-2] trust follows the source unless it is given', () => {
    const trustOf = (type: string, trust?: string) => draftOf({ source: { type }, ...(trust ? { trust } : {}) }).trust
    expect(['user', 'system', 'import'].map((type) => trustOf(type))).toEqual(['trusted', 'trusted', 'trusted'])
    expect(['assistant', 'derived'].map((type) => trustOf(type))).toEqual(['inferred', 'inferred'])
    expect(['tool', 'web', 'document'].map((type) => trustOf(type))).toEqual(['untrusted', 'untrusted', 'untrusted'])
    expect(trustOf('web', 'trusted')).toBe('trusted')
  })

  it('[REC-2] a field given as undefined is a field not given, inside of others too', () => {
    const empty = { id: undefined, key: undefined, data: undefined, eventTime: undefined, importance: undefined }
    const draft = draftOf({ ...empty, source: { type: 'web', actor: undefined, ref: 'https://example.org' } })
    expect(Object.keys(draft)).not.toContain('key')
    expect(draft.source).toStrictEqual({ type: 'web', ref: 'https://example.org' })
  })

  it('[REC-3] unknown fields are refused by name', () => {
    const unknown: [object, string][] = [
      [{ contents: 'y' }, 'memory.contents'],
      [{ userId: 'bob' }, 'memory.userId'],
      [{ scope: { userId: 'bob' } }, 'memory.scope'],
      [{ version: 3 }, 'memory.version'],
      [{ createdAt: '2026-01-01T00:00:00Z' }, 'memory.createdAt'],
      [{ accessCount: 3 }, 'memory.accessCount'],
      [{ source: { type: 'user', name: 'Ann' } }, 'memory.source.name'],
      [{ eventTime: { start: '2026-01-01T00:00:00Z', from: 1 } }, 'memory.eventTime.from'],
      [JSON.parse('{"__proto__":{"importance":1}}'), 'memory.__proto__'],
    ]
    for (const [fields, field] of unknown) {
      // Assigning would set the prototype: __proto__ has to arrive as a key.
      const given = Object.defineProperties({ content: 'x' }, Object.getOwnPropertyDescriptors(fields))
      expect(() => parse(given), field).toThrowError(
        expect.objectContaining({ code: 'UNKNOWN_FIELD', details: { field }, message: expect.stringContaining(field) }),
      )
    }
  })

  it('[REC-1] content is any text that is not blank, kept as it is', () => {
    for (const content of [
      '\u0000',
      'a\u0000b',
      '\ud800',
      'x\udc00',
      ' a ',
      '\u200b',
      '😀',
      "'; drop table x; --",
      '%',
    ]) {
      expect(parse({ content }).draft.content).toBe(content)
    }
    for (const content of ['', ' ', '\n\t ', '\u00a0\u2003', '\ufeff']) {
      expect(() => parse({ content })).toThrowError(refused('INVALID_RECORD', 'memory.content'))
    }
    for (const content of [undefined, null, 5, ['a'], {}, new String('a')]) {
      expect(() => parse({ content })).toThrowError(refused('INVALID_RECORD', 'memory.content'))
    }
  })

  it('[REC-1] content is at most 1 MiB of UTF-8', () => {
    expect(maxContentBytes).toBe(1024 * 1024)
    for (const [character, bytes] of [
      ['a', 1],
      ['é', 2],
      ['記', 3],
      ['😀', 4],
      ['\ud800', 3],
    ] as const) {
      const count = Math.floor(maxContentBytes / bytes)
      const most = character.repeat(count) + 'a'.repeat(maxContentBytes - count * bytes)
      expect(Buffer.byteLength(most)).toBe(maxContentBytes)
      expect(parse({ content: most }).draft.content).toBe(most)
      expect(() => parse({ content: `${most}a` })).toThrowError(refused('INVALID_RECORD', 'memory.content'))
    }
  })

  it('[REC-5] importance, confidence and reliability are numbers from 0 to 1', () => {
    for (const field of ['importance', 'confidence', 'reliability'] as const) {
      for (const value of [0, 1, 0.5, Number.MIN_VALUE]) expect(draftOf({ [field]: value })[field]).toBe(value)
      const bad = [1.5, -0.1, 2, Number.NaN, Infinity, '0.5', true, null, [0.5], 1 + Number.EPSILON, -Number.MIN_VALUE]
      for (const value of bad) {
        expect(() => draftOf({ [field]: value })).toThrowError(refused('INVALID_RECORD', `memory.${field}`))
      }
    }
  })

  it('[REC-7] ids, keys and kinds are non-empty names without NUL and lone surrogates', () => {
    for (const name of ['a', 'Ä', '記憶', 'a b', '%', '__proto__', '😀', 'x'.repeat(128)]) {
      expect(draftOf({ id: name, key: name, kind: name === '__proto__' ? 'x' : name })).toMatchObject({
        id: name,
        key: name,
      })
    }
    for (const field of ['id', 'key', 'kind']) {
      for (const value of ['', 'a\u0000b', 'a\ud800', 'x'.repeat(513), 5, null, {}]) {
        expect(() => draftOf({ [field]: value })).toThrowError(refused('INVALID_RECORD', `memory.${field}`))
      }
    }
    expect(() => draftOf({ kind: '_conflict' })).toThrowError(/reserved/)
  })

  it('[REC-16] ids that begin with mneme: are reserved for records of its own', () => {
    for (const id of ['mneme:', 'mneme:hot-tier', 'mneme:staged:a']) {
      expect(() => draftOf({ id })).toThrowError(refused('INVALID_RECORD', 'memory.id'))
    }
    expect(draftOf({ id: 'mneme', key: 'mneme:hot-tier' })).toMatchObject({ id: 'mneme', key: 'mneme:hot-tier' })
  })

  it('[REC-7] closed lists are closed', () => {
    const wrong = { status: 'deleted', trust: 'sure', source: { type: 'robot' }, pinned: 1, tags: 'a' }
    for (const [field, value] of Object.entries(wrong)) {
      const place = field === 'source' ? 'memory.source.type' : `memory.${field}`
      expect(() => draftOf({ [field]: value })).toThrowError(refused('INVALID_RECORD', place))
    }
    expect(() => draftOf({ tags: ['a', ''] })).toThrowError(refused('INVALID_RECORD', 'memory.tags[1]'))
    expect(draftOf({ tags: ['b', 'a', 'b'] }).tags).toEqual(['b', 'a'])
  })

  it('[REC-6] times come in with an offset and go out in UTC; validity runs forwards', () => {
    const draft = draftOf({
      eventTime: { start: '2026-05-08T13:56:00+02:00', granularity: 'day' },
      validFrom: '2026-05-08T02:00:00+02:00',
      validTo: '2026-05-08T00:00:00Z',
      expiresAt: '2030-01-01T00:00:00-05:00',
    })
    expect(draft).toMatchObject({
      eventTime: { start: '2026-05-08T11:56:00.000Z', zone: '+02:00', granularity: 'day' },
      validFrom: '2026-05-08T00:00:00.000Z',
      validTo: '2026-05-08T00:00:00.000Z',
      expiresAt: '2030-01-01T05:00:00.000Z',
    })
    for (const field of ['validFrom', 'validTo', 'expiresAt']) {
      expect(() => draftOf({ [field]: '2026-05-08' })).toThrowError(refused('INVALID_TIME', `memory.${field}`))
      expect(() => draftOf({ [field]: 5 })).toThrowError(refused('INVALID_RECORD', `memory.${field}`))
      expect(() => draftOf({ [field]: new Date() })).toThrowError(/must be a string: an ISO 8601 time with an offset/)
    }
    const backwards = { validFrom: '2026-05-08T13:00:00+02:00', validTo: '2026-05-08T10:59:59Z' }
    expect(() => draftOf(backwards)).toThrowError(refused('INVALID_TIME', 'memory.validTo'))
  })

  it('[REC-4] metadata and data are copies of JSON, refused with their path otherwise', () => {
    const metadata = { list: [1, { deep: true }], '__proto__.x': 1 }
    const given = Object.freeze({ content: 'x', metadata, data: [metadata], tags: Object.freeze(['a']) })
    const before = structuredClone(given)
    const { draft } = parse(given)
    metadata.list.push(2)
    expect(draft.metadata).toEqual(before.metadata)
    expect(draft.data).toEqual(before.data)
    expect(() => draftOf({ metadata: { a: { when: new Date() } } })).toThrowError(
      refused('INVALID_RECORD', 'memory.metadata.a.when'),
    )
    for (const wrong of [null, 'a', ['a'], 5, new Map()]) {
      expect(() => draftOf({ metadata: wrong })).toThrowError(refused('INVALID_RECORD', 'memory.metadata'))
    }
    expect(draftOf({ data: null }).data).toBeNull()
    expect(() => draftOf({ data: [Number.NaN] })).toThrowError(refused('INVALID_RECORD', 'memory.data[0]'))
  })

  it('[REC-8] what is no memory is refused', () => {
    for (const value of [null, undefined, 5, ['x'], new Date(), () => 1]) {
      expect(() => parse(value)).toThrowError(expect.objectContaining({ code: 'INVALID_RECORD' }))
    }
  })

  it('[REC-9] a refusal never repeats a value, wherever it stands', () => {
    const good: NewMemory = {
      content: 'x',
      kind: 'semantic',
      id: 'i',
      key: 'k',
      tags: ['a'],
      metadata: { a: { b: [1] } },
      data: { a: 1 },
      importance: 0.5,
      source: { type: 'user', actor: 'Ann', ref: 'r', quote: 'q', from: ['i'] },
      trust: 'trusted',
      eventTime: { start: '2026-01-01T00:00:00Z', zone: 'UTC', granularity: 'day' },
      validFrom: '2026-01-01T00:00:00Z',
      expiresAt: '2026-01-01T00:00:00Z',
      pinned: true,
      status: 'live',
      vector: [1],
    }
    expect(() => parse(good)).not.toThrow()
    const paths = [
      ...[
        'content',
        'kind',
        'id',
        'key',
        'tags',
        'tags.0',
        'metadata',
        'metadata.a.b.0',
        'data',
        'importance',
        'source',
      ],
      ...['source.type', 'source.actor', 'source.ref', 'source.quote', 'source.from', 'source.from.0', 'trust'],
      ...[
        'eventTime',
        'eventTime.start',
        'eventTime.zone',
        'eventTime.granularity',
        'validFrom',
        'expiresAt',
        'pinned',
      ],
      ...['status', 'vector', 'vector.0'],
    ]
    const marker = fc.stringMatching(/^[a-z]{10}$/).map((text) => `mk${text}km`)
    fc.assert(
      fc.property(fc.constantFrom(...paths), marker, fc.nat(6), (path, secret, shape) => {
        const shapes = [
          secret,
          [secret],
          { [`k${shape}`]: secret },
          new Set([secret]),
          () => secret,
          `\ud800${secret}\u0000`,
        ]
        const value = shapes[shape] ?? [{ a: secret, b: Number.NaN }]
        const given = structuredClone(good) as unknown as Record<string, unknown>
        const keys = path.split('.')
        const holder = keys.slice(0, -1).reduce((inner, key) => inner[key] as Record<string, unknown>, given)
        holder[keys.at(-1) as string] = value
        let shown = ''
        try {
          parse(given)
        } catch {
          shown = refusal(given)
        }
        expect(shown).not.toContain(secret)
      }),
      runs(2000),
    )
  })

  it('[REC-9] random input throws nothing but errors of ours, and is left as it was', () => {
    const anything = fc.record(
      {
        content: fc.oneof(fc.string(), fc.anything()),
        metadata: fc.anything(),
        data: fc.anything({ withDate: true, withMap: true, withSparseArray: true, withTypedArray: true }),
        tags: fc.oneof(fc.array(fc.string()), fc.anything()),
        eventTime: fc.anything(),
        source: fc.anything(),
        vector: fc.anything({ withTypedArray: true }),
        importance: fc.oneof(fc.double(), fc.anything()),
      },
      { requiredKeys: ['content'] },
    )
    fc.assert(
      fc.property(anything, (value) => {
        const before = fc.stringify(value)
        try {
          parse(value)
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(
            /^(INVALID_RECORD|INVALID_TIME|UNKNOWN_FIELD|INVALID_ARGUMENT)$/,
          )
        }
        expect(fc.stringify(value)).toBe(before)
      }),
      runs(2000),
    )
  })
})

describe('vectors', () => {
  it('[REC-10] are non-empty arrays of numbers that float32 can hold', () => {
    expect(parseVector([1, 0.5], 'vector')).toEqual(Float32Array.of(1, 0.5))
    const given = Float32Array.of(1, 2)
    expect(parseVector(given, 'vector')).not.toBe(given)
    const hole = [1, 2, 3]
    delete hole[1]
    const bad = [
      [],
      [1, Number.NaN],
      [Infinity],
      [1e300],
      ['1'],
      [true],
      [null],
      hole,
      '1,2',
      { 0: 1, length: 1 },
      null,
    ]
    for (const value of bad) {
      expect(() => parseVector(value, 'memory.vector')).toThrowError(refused('INVALID_ARGUMENT', 'memory.vector'))
    }
  })
})

describe('moments of a record', () => {
  it('[TIM-5] expired from the millisecond on; valid from its start until before its end', () => {
    const at = Date.parse('2026-01-01T00:00:00Z')
    const time = '2026-01-01T00:00:00.000Z'
    const record = { kind: 'semantic', createdAt: time, pinned: false }
    expect([
      isExpired(record, at),
      ...[at - 1, at].map((now) => isExpired({ ...record, expiresAt: time }, now)),
    ]).toEqual([false, false, true])
    expect([isValidAt({}, at), isValidAt({ validFrom: time }, at - 1), isValidAt({ validFrom: time }, at)]).toEqual([
      true,
      false,
      true,
    ])
    expect([isValidAt({ validTo: time }, at - 1), isValidAt({ validTo: time }, at)]).toEqual([true, false])
    expect(momentOf({ createdAt: time })).toBe(at)
    expect(momentOf({ createdAt: time, eventTime: { start: '2025-01-01T00:00:00.000Z' } })).toBe(at - 365 * 86_400_000)
  })
})
