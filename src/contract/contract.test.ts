import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type RecordDraft } from '../model/index.ts'
import {
  brokenJournalLine,
  compareIds,
  comparePositions,
  decodeCursor,
  encodeCursor,
  erasedId,
  type JournalEntry,
  journalDigest,
  matchesQuery,
  orderValue,
  type StoredRecord,
  stampRecord,
} from './index.ts'

const draft: RecordDraft = {
  id: 'a',
  kind: 'semantic',
  content: 'x',
  scope: { userId: 'ann' },
  tags: [],
  metadata: {},
  importance: 0.5,
  confidence: 1,
  reliability: 1,
  source: { type: 'user' },
  trust: 'trusted',
  accessCount: 0,
  pinned: false,
  status: 'live',
}

function chainOf(lines: readonly Omit<JournalEntry, 'seq' | 'digest'>[]): JournalEntry[] {
  let digest = ''
  return lines.map((line, i) => {
    const entry = { ...line, seq: i + 1 }
    digest = journalDigest(digest, entry)
    return { ...entry, digest }
  })
}

describe('what stores share', () => {
  it('[CTR-1] ids are ordered by code point, as the bytes of UTF-8 are', () => {
    const id = fc.string({ unit: 'binary', maxLength: 8 })
    fc.assert(
      fc.property(id, id, fc.string({ unit: 'binary', maxLength: 3 }), (a, b, prefix) => {
        const [x, y] = [prefix + a, prefix + b]
        expect(Math.sign(compareIds(x, y))).toBe(Buffer.compare(Buffer.from(x), Buffer.from(y)))
      }),
    )
    expect(compareIds('\uffff', '😀')).toBeLessThan(0)
  })

  it('[CTR-2] a place in a list: newest, updated and importance go down, ties by id in the same direction', () => {
    const [low, high, highToo] = [
      { value: 1, id: 'z' },
      { value: 2, id: 'a' },
      { value: 2, id: 'b' },
    ]
    for (const order of ['oldest', 'eventTime'] as const) {
      expect([highToo, low, high].sort((a, b) => comparePositions(a, b, order))).toEqual([low, high, highToo])
    }
    for (const order of ['newest', 'updated', 'importance'] as const) {
      expect([highToo, low, high].sort((a, b) => comparePositions(a, b, order))).toEqual([highToo, high, low])
    }
    const times = { createdAt: '1970-01-01T00:00:00.001Z', updatedAt: '1970-01-01T00:00:00.002Z', importance: 0.3 }
    const record = { ...times, eventTime: { start: '1970-01-01T00:00:00.004Z' } }
    const orders = ['newest', 'oldest', 'updated', 'importance', 'eventTime'] as const
    expect(orders.map((order) => orderValue(record, order))).toEqual([1, 1, 2, 0.3, 4])
    expect(orderValue(times, 'eventTime')).toBe(1)
  })

  it('[CTR-3] a cursor gives its position back; anything else, and what lies beyond the log, is INVALID_CURSOR', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (position, more) => {
        expect(decodeCursor(encodeCursor(position), position + more)).toBe(position)
      }),
    )
    expect(() => decodeCursor(encodeCursor(8), 7)).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }))
    const cursors = new Set(Array.from({ length: 2000 }, (_, i) => encodeCursor(i)))
    fc.assert(
      fc.property(fc.string(), (junk) => {
        fc.pre(!cursors.has(junk))
        expect(() => decodeCursor(junk, 1999)).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }))
      }),
    )
  })

  it('[CTR-4] a journal chain shows any line that was changed, taken out, put in or moved', () => {
    const line = { op: 'read', verb: 'get', ids: ['a'], at: 1, tx: 't' } as const
    const [ann, bob] = [{ userId: 'ann' }, { userId: 'bob' }]
    const anns = chainOf([1, 2, 3, 4].map((at) => ({ ...line, at, scope: ann })))
    const bobs = chainOf([1, 2].map((at) => ({ ...line, at, scope: bob })))
    expect(brokenJournalLine([...anns, ...bobs])).toBeNull()
    expect(brokenJournalLine(anns.flatMap((entry, i) => [entry, ...(bobs[i] ? [bobs[i]] : [])]))).toBeNull()
    const [first, second, third, fourth] = anns as [JournalEntry, JournalEntry, JournalEntry, JournalEntry]
    for (const change of [
      { at: 9 },
      { ids: [] },
      { actor: 'x' },
      { scope: { ...ann, sessionId: 's' } },
      { verb: 'x' },
    ]) {
      expect(brokenJournalLine([first, { ...second, ...change }, third])).toMatchObject({ seq: 2 })
    }
    expect(brokenJournalLine([first, third])).toBe(third)
    expect(brokenJournalLine([second, third])).toBe(second)
    expect(brokenJournalLine([first, second, { ...fourth, seq: 3 }])).toMatchObject({ seq: 3 })
    expect(brokenJournalLine([first, third, second])).toBe(third)
  })

  it('[CTR-5] the digest of a line does not depend on the order of its fields or on absent ones', () => {
    const line = { op: 'read', verb: 'get', ids: [], scope: { userId: 'ann' }, seq: 1, at: 1, tx: 't' } as const
    const { op, ...rest } = line
    expect(journalDigest('x', { ...rest, actor: undefined, op })).toBe(journalDigest('x', line))
    expect(journalDigest('y', line)).not.toBe(journalDigest('x', line))
    expect(journalDigest('', line)).toMatch(/^[0-9a-f]{64}$/)
    // As the contract says it: the digest before and the line in canonical JSON.
    const scope = { userId: 'ann', appId: 'app', sessionId: 's', agentId: 'g', namespace: ['b', 'a'] }
    const whole = { ...line, scope, reason: 'é\ud800"' }
    const digest = createHash('sha256')
      .update(`x${canonicalJson(whole)}`)
      .digest('hex')
    expect(journalDigest('x', whole)).toBe(digest)
  })

  it('[CTR-6] what is left of an erased id depends on the salt and does not show the id', () => {
    expect(erasedId('salt', 'ann')).toBe(erasedId('salt', 'ann'))
    expect(erasedId('other', 'ann')).not.toBe(erasedId('salt', 'ann'))
    expect(erasedId('salt', 'ann')).toMatch(/^erased:[0-9a-f]{64}$/)
  })

  it('[CTR-7] a put is stamped: next version or a greater given one; times given, kept, or of the commit', () => {
    const [at, old] = [Date.parse('2026-01-02T00:00:00Z'), '2020-01-01T00:00:00.000Z']
    const now = '2026-01-02T00:00:00.000Z'
    const stamp = (given: object, lastVersion = 0, createdAt: string | null = null) => {
      const record = stampRecord({ ...draft, ...given }, { lastVersion, createdAt, at })
      return [record.version, record.createdAt, record.updatedAt]
    }
    expect(stamp({})).toEqual([1, now, now])
    expect(stamp({}, 3, old)).toEqual([4, old, now])
    expect(stamp({ version: 4 }, 3, old)).toEqual([4, old, now])
    expect(stamp({ version: 3 }, 3)).toEqual([4, now, now])
    expect(stamp({ version: 9, createdAt: old, updatedAt: old }, 3, now)).toEqual([9, old, old])
  })

  it('[CTR-8] a query without conditions takes live records of kinds that are not reserved', () => {
    const record = {
      ...draft,
      version: 1,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    }
    const stored = (fields: object = {}): StoredRecord => ({
      record: { ...record, ...fields },
      analysis: { analyser: 'x', terms: [], tokens: [], shape: 0 },
      vector: null,
    })
    expect(matchesQuery({}, stored())).toBe(true)
    expect(matchesQuery({}, stored({ status: 'invalid' }))).toBe(false)
    expect(matchesQuery({ statuses: 'any' }, stored({ status: 'invalid' }))).toBe(true)
    expect(matchesQuery({}, stored({ kind: '_conflict' }))).toBe(false)
    expect(matchesQuery({ kinds: ['_conflict'] }, stored({ kind: '_conflict' }))).toBe(true)
    expect(matchesQuery({ withoutVector: 's' }, stored())).toBe(false)
  })
})
