import { describe, expect, it } from 'vitest'
import { Segment, type SegmentRecord } from './segment.ts'

function record(id: string, words: number, key: number): SegmentRecord {
  return {
    id,
    expiresAt: Number.POSITIVE_INFINITY,
    moment: 0,
    createdAfter: 0,
    importance: 0.5,
    reliability: 0.5,
    version: 1,
    terms: ['tea'],
    frequencies: [words],
    tokens: [],
    shape: 0,
    keyHash: key,
  }
}

describe('segment', () => {
  it('[IDX-1] what is known of a sealed one is found out anew when it has grown and is sealed again', () => {
    const segment = new Segment()
    const shared = { scope: 0, kind: 0, actor: 0 }
    segment.append(record('a', 5, 0), shared)
    segment.seal()
    expect([segment.shortest, segment.hasKeys]).toEqual([5, false])
    segment.append(record('b', 2, 7), shared)
    expect([segment.shortest, segment.hasKeys]).toEqual([0, true])
    segment.seal()
    expect([segment.shortest, segment.hasKeys]).toEqual([2, true])
  })
})
