import { describe, expect, it } from 'vitest'
import { candidate, collection } from '../../test/fixtures/candidate.ts'
import { analyse } from './question.ts'
import { rank, rankValues, WEIGHTS } from './rank.ts'
import { SHAPE } from './shape.ts'
import { signals } from './signals.ts'

const ids = (ranked: ReturnType<typeof rank>): string[] => ranked.map(({ candidate: { id } }) => id)

describe('rank', () => {
  it('[RNK-13] orders by value, and equal values by id', () => {
    const found = ['b', 'a', 'c', 'B'].map((id) => candidate(id))
    expect(ids(rank(found, [1, 1, 2, 1]))).toEqual(['c', 'B', 'a', 'b'])
    expect(rank([], [])).toEqual([])
  })

  it('[RNK-13] puts the record whose key is the query first', () => {
    const found = [candidate('a'), candidate('z', { keyMatch: true })]
    expect(ids(rank(found, [9, -1]))).toEqual(['z', 'a'])
  })

  it('[RNK-13] leaves the candidates as they are', () => {
    const found = Object.freeze([candidate('b'), candidate('a')])
    rank(found, [0, 0])
    expect(found.map(({ id }) => id)).toEqual(['b', 'a'])
  })

  it('[RNK-12] orders by BM25 where there is nothing else', () => {
    const found = [3, 1, 2].map((bm25) => candidate(`r${bm25}`, { bm25 }))
    const values = rankValues(signals(analyse('x', []), found, collection(), null))
    expect(ids(rank(found, values))).toEqual(['r3', 'r2', 'r1'])
  })

  it('[RNK-12] orders the turns of one thread by BM25 too', () => {
    const found = [0, 10, 20].map((position) =>
      candidate(`t${position}`, { bm25: 30 - position, thread: 's', position: position + 5 }),
    )
    const values = rankValues(signals(analyse('x', []), found, collection(), null))
    expect(ids(rank(found, values))).toEqual(['t0', 't10', 't20'])
  })

  it('[RNK-1] sums every signal by its weight', () => {
    const found = [candidate('a', { shape: SHAPE.question }), candidate('b', { shape: SHAPE.time | SHAPE.name })]
    const values = rankValues(signals(analyse('x', []), found, collection(), null))
    expect(values[0]).toBeCloseTo(-0.6, 9)
    expect(values[1]).toBeCloseTo(0.8, 9)
  })

  it('[RNK-1] keeps the weights that were measured', () => {
    expect(WEIGHTS).toEqual({
      meaning: 1,
      pieces: 1,
      coverage: 1.5,
      withoutMeaning: 1,
      withoutPieces: 2.5,
      previous: 0.6,
      next: 0.6,
      secondPrevious: 1.8,
      secondNext: 0.5,
      previousQuestion: 1.5,
      threadMean: 1,
      threadBest: 1.5,
      askedActor: 1.2,
      askedActorBase: 1.8,
      endsInQuestion: -0.6,
      namesTime: 0.4,
      holdsName: 0.4,
      opensThread: 0.5,
      whenWithTime: 1.3,
      howManyWithNumber: 1,
      whereWithPlace: 2,
    })
  })
})
