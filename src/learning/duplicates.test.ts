import { describe, expect, it } from 'vitest'
import type { MemoryRecord } from '../model/index.ts'
import { isMergeable, mergeDuplicates, sameness } from './duplicates.ts'

const record = (more: Partial<MemoryRecord> = {}): MemoryRecord => ({
  id: 'a',
  kind: 'semantic',
  content: 'Ann likes tea',
  scope: { userId: 'ann' },
  tags: [],
  metadata: {},
  importance: 0.5,
  confidence: 1,
  reliability: 1,
  source: { type: 'user' },
  trust: 'trusted',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  accessCount: 0,
  pinned: false,
  status: 'live',
  version: 1,
  ...more,
})
const other = (more: Partial<MemoryRecord> = {}) =>
  record({ id: 'b', content: 'Ann enjoys tea.', createdAt: '2026-02-01T00:00:00.000Z', ...more })

describe('what is one memory', () => {
  it('[CSL-3] the same statement by the same speaker about the same time', () => {
    expect(sameness(other())).toBe(sameness(record()))
    for (const more of [
      { kind: 'note' },
      { source: { type: 'user', actor: 'Bob' } },
      { eventTime: { start: '2026-01-01T00:00:00.000Z' } },
      { data: { cups: 2 } },
      { validFrom: '2020-01-01T00:00:00.000Z', validTo: '2021-01-01T00:00:00.000Z' },
    ] satisfies Partial<MemoryRecord>[]) {
      expect(sameness(other(more))).not.toBe(sameness(record()))
    }
  })

  it('[CSL-3] what a learned fact has beside its text says nothing else', () => {
    const triple = (value: string) => ({ data: { subject: 'Ann', attribute: 'likes', value } })
    expect(sameness(other(triple('tea')))).toBe(sameness(record(triple('Tea'))))
    expect(sameness(other(triple('tea')))).toBe(sameness(record()))
    expect(sameness(other({ data: { ...triple('tea').data, cups: 2 } }))).not.toBe(sameness(record()))
    expect(sameness(other({ data: 'tea' }))).not.toBe(sameness(record()))
  })

  it('[CSL-3] what happened is the same only in the same words', () => {
    const tea = record({ kind: 'episodic' })
    expect(sameness(other({ kind: 'episodic' }))).not.toBe(sameness(tea))
    expect(sameness(other({ kind: 'episodic', content: 'ann likes tea.' }))).toBe(sameness(tea))
  })

  it('[CSL-5] keyed, hidden and untrusted records and kinds of their own are never merged', () => {
    expect(isMergeable(record())).toBe(true)
    for (const more of [
      { key: 'likes' },
      { status: 'quarantined' },
      { status: 'superseded' },
      { trust: 'untrusted' },
      { kind: 'kv' },
      { kind: 'procedural' },
      { kind: 'tool' },
      { kind: 'entity' },
      { kind: 'summary' },
      { kind: '_conflict' },
    ] satisfies Partial<MemoryRecord>[])
      expect(isMergeable(record(more)), JSON.stringify(more)).toBe(false)
  })
})

describe('which one stays', () => {
  const kept = (a: Partial<MemoryRecord>, b: Partial<MemoryRecord>) => mergeDuplicates([other(b), record(a)])?.keeper.id

  it('[CSL-4] pinned, then trusted, then what lives longest, is surest, most important and oldest', () => {
    expect(kept({}, {})).toBe('a')
    expect(kept({}, { importance: 0.9 })).toBe('b')
    expect(kept({ importance: 0.9 }, { confidence: 1 })).toBe('a')
    expect(kept({ confidence: 0.5 }, { importance: 0.1 })).toBe('b')
    expect(kept({ expiresAt: '2027-01-01T00:00:00.000Z' }, { confidence: 0.5 })).toBe('b')
    expect(kept({ trust: 'inferred' }, { confidence: 0.5 })).toBe('b')
    expect(kept({ pinned: true, trust: 'inferred' }, {})).toBe('a')
  })

  it('[CSL-4] takes over what the others say of themselves', () => {
    const merged = mergeDuplicates([
      record({ tags: ['a'], metadata: { x: 1 }, validFrom: '2026-02-01T00:00:00.000Z' }),
      other({ tags: ['b', 'a'], metadata: { y: 2 }, importance: 0.4, validFrom: '2026-01-01T00:00:00.000Z' }),
    ])
    expect(merged?.after).toMatchObject({
      id: 'a',
      tags: ['a', 'b'],
      metadata: { x: 1, y: 2 },
      importance: 0.5,
      validFrom: '2026-01-01T00:00:00.000Z',
    })
    expect(mergeDuplicates([record(), other({ importance: 0.1 })])?.after).toEqual(record())
  })

  it('[CSL-5] a second pinned one, one that outlives what is kept and one with other metadata stay', () => {
    expect(mergeDuplicates([record({ pinned: true }), other({ pinned: true })])).toBeNull()
    expect(mergeDuplicates([record({ pinned: true, expiresAt: '2026-03-01T00:00:00.000Z' }), other()])).toBeNull()
    expect(mergeDuplicates([record({ metadata: { project: 'x' } }), other({ metadata: { project: 'y' } })])).toBeNull()
    const some = mergeDuplicates([record(), other(), other({ id: 'c', pinned: true })])
    expect([some?.keeper.id, some?.losers.map(({ id }) => id)]).toEqual(['c', ['a', 'b']])
  })

  it('[CSL-5] of a kind that expires by age the newest stays', () => {
    const merged = mergeDuplicates([record(), other()], { newestLivesLongest: true })
    expect([merged?.keeper.id, merged?.losers.map(({ id }) => id)]).toEqual(['b', ['a']])
  })

  it('[CSL-4] whatever the order they come in', () => {
    const all = [record(), other(), other({ id: 'c', confidence: 0.5 }), other({ id: 'd', importance: 0.9 })]
    const first = mergeDuplicates(all)
    expect(first?.keeper.id).toBe('d')
    expect(mergeDuplicates([...all].reverse())).toEqual(first)
  })
})
