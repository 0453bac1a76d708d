import { describe, expect, it } from 'vitest'
import { candidate } from '../../test/fixtures/candidate.ts'
import { type Fusion, rankedLists, reciprocalRankFusion } from './fusion.ts'

describe('reciprocalRankFusion', () => {
  it('[RNK-21] adds what an id gets from each list', () => {
    const fused = reciprocalRankFusion([['n9'], ['n9', 'x']])
    expect(fused.size).toBe(2)
    expect(fused.get('n9')).toBeCloseTo(0.0327868852, 10)
  })

  it('[RNK-21] keeps the order in which equal ids were first seen', () => {
    const fused = reciprocalRankFusion([
      ['a', 'b', 'c'],
      ['b', 'a'],
    ])
    expect([...fused.keys()]).toEqual(['a', 'b', 'c'])
    expect(fused.get('a')).toBe(fused.get('b'))
    expect(fused.get('a')).toBeCloseTo(0.0325224749, 10)
    expect(fused.get('c')).toBeCloseTo(0.0158730159, 10)
  })

  it('[RNK-21] prefers first and third to twice second', () => {
    const fused = reciprocalRankFusion([
      ['one-three', 'two-two', 'x'],
      ['y', 'two-two', 'one-three'],
    ])
    expect(fused.get('one-three')).toBeCloseTo(0.0322664585, 10)
    expect(fused.get('two-two')).toBeCloseTo(0.0322580645, 10)
  })

  it('[RNK-21] counts an id that a list repeats once, at its first rank', () => {
    expect([...reciprocalRankFusion([['a', 'a', 'b', 'a']])]).toEqual([
      ['a', 1 / 61],
      ['b', 1 / 63],
    ])
  })

  it('[RNK-21] makes nothing of nothing', () => {
    expect(reciprocalRankFusion([]).size).toBe(0)
    expect(reciprocalRankFusion([[], []]).size).toBe(0)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('[RNK-22] refuses k = %d', (k) => {
    expect(() => reciprocalRankFusion([['a']], { k })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })
})

describe('rankedLists', () => {
  it('[RNK-23] lists what text found and what has a vector, best first, ties by id', () => {
    const found = [
      candidate('c', { bm25: 1, cosine: 0.1 }),
      candidate('b', { bm25: 2 }),
      candidate('a', { bm25: 1, cosine: -0.5 }),
      candidate('d', { cosine: 0.9 }),
    ]
    expect(rankedLists(found)).toEqual([
      ['b', 'a', 'c'],
      ['d', 'c', 'a'],
    ])
    expect(rankedLists([])).toEqual([[], []])
  })

  it('[RNK-23] lets a caller fuse by one list alone', () => {
    const secondOnly: Fusion = ([, vector]) => reciprocalRankFusion([vector ?? []])
    const found = [candidate('text', { bm25: 5 }), candidate('vector', { cosine: 0.5 })]
    expect([...secondOnly(rankedLists(found)).keys()]).toEqual(['vector'])
  })
})
