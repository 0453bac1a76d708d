import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCandidates, candidate, collection } from '../../test/fixtures/candidate.ts'
import type { Candidate } from './candidate.ts'
import { analyse } from './question.ts'
import { SHAPE } from './shape.ts'
import { type SignalColumns, type Signals, signals, signalsAt } from './signals.ts'

const anything = analyse('anything', [])
const each = (columns: SignalColumns): Signals[] => Array.from(columns.base, (_, i) => signalsAt(columns, i))
const measure = (found: readonly Candidate[], meanCosine = 0, question = anything) =>
  each(signals(question, found, collection({ meanCosine }), null))

describe('signals', () => {
  it('[RNK-9] of no candidates are none', () => {
    expect(measure([])).toEqual([])
  })

  it('[RNK-9] take text, vectors and tokens as shares of the best', () => {
    const found = [candidate('a', { bm25: 4, cosine: 0.3 }), candidate('b', { bm25: 1, cosine: 0.7 })]
    const [a, b] = each(
      signals(anything, found, collection({ meanCosine: 0.2 }), [
        { m: 3, m2: 0.6 },
        { m: 6, m2: 0.9 },
      ]),
    )
    expect(a).toMatchObject({ words: 1, pieces: 0.5, coverage: 0.6, withoutMeaning: 0, withoutPieces: 0 })
    expect(a!.meaning).toBeCloseTo(0.2, 9)
    expect(b).toMatchObject({ words: 0.25, meaning: 1, pieces: 1, coverage: 0.9 })
    expect(b!.base).toBeCloseTo(0.4 * 0.25 + 0.4 + 0.2, 9)
  })

  it('[RNK-10] find the one record of a store by its meaning', () => {
    expect(measure([candidate('a', { cosine: 0.4 })], 0.4)[0]).toMatchObject({ meaning: 1, base: 1 })
    expect(measure([candidate('a', { cosine: -0.1 })], -0.1)[0]).toMatchObject({ meaning: 0, base: 0 })
  })

  it('[RNK-10] are the same for records of the same vector', () => {
    const found = ['a', 'b', 'c'].map((id) => candidate(id, { cosine: 0.4 }))
    expect(measure(found, 0.4).map(({ meaning }) => meaning)).toEqual([1, 1, 1])
    expect(measure(found, 0.4000001).map(({ meaning }) => meaning)).toEqual([1, 1, 1])
  })

  it('[RNK-11] look two turns back and ahead in the thread, among the candidates', () => {
    const turn = (position: number, bm25: number, thread = 's'): Candidate =>
      candidate(`${thread}${position}`, { thread, position, bm25 })
    const found = [turn(4, 0.5), turn(2, 0.25), turn(1, 1), turn(0, 0.75), turn(3, 0.125, 'other')]
    const middle = measure(found)[1]!
    expect(middle).toMatchObject({
      previous: 1,
      next: 0,
      secondPrevious: 0.75,
      secondNext: 0.5,
      opensThread: 0,
      threadBest: 1,
    })
    expect(middle.threadMean).toBeCloseTo((1 + 0.75 + 0.5) / 3, 9)
    expect(measure(found)[3]).toMatchObject({
      previous: 0,
      secondPrevious: 0,
      next: 1,
      secondNext: 0.25,
      opensThread: 1,
    })
  })

  it('[RNK-11] count turns that are no candidates as 0 in the thread', () => {
    const [lone] = measure([candidate('a', { thread: 's', position: 9, bm25: 1 })])
    expect(lone).toMatchObject({ threadBest: 1, previous: 0, opensThread: 0 })
    expect(lone!.threadMean).toBeCloseTo(1 / 3, 9)
  })

  it('[RNK-11] take a record that is no turn as a thread of its own', () => {
    const found = ['a', 'b'].map((id, position) => candidate(id, { bm25: position + 1, position }))
    expect(measure(found)[0]).toMatchObject({
      base: 0.5,
      threadMean: 0.5,
      threadBest: 0.5,
      previous: 0,
      next: 0,
      opensThread: 0,
    })
  })

  it('[RNK-11] pass on the value of a question to its answer', () => {
    const ask = candidate('q', { thread: 's', position: 0, bm25: 1, shape: SHAPE.hasQuestionMark })
    const answer = candidate('a', { thread: 's', position: 1, bm25: 0 })
    expect(measure([ask, answer])[1]!.previousQuestion).toBe(1)
    expect(measure([{ ...ask, shape: 0 }, answer])[1]!.previousQuestion).toBe(0)
  })

  it('[RNK-12] let what can be measured stand in for vectors and tokens', () => {
    const found = [candidate('a', { bm25: 2 }), candidate('b', { bm25: 1 })]
    expect(measure(found)[1]).toMatchObject({
      words: 0.5,
      meaning: 0,
      pieces: 0,
      base: 0.5,
      withoutMeaning: 0.5,
      withoutPieces: 0.5,
    })
    const dense = [candidate('a', { cosine: 0.8 }), candidate('b', { cosine: 0.4 })]
    expect(measure(dense)[1]).toMatchObject({
      words: 0,
      meaning: 0.5,
      base: 0.5,
      withoutMeaning: 0,
      withoutPieces: 0.5,
    })
  })

  it('[RNK-7] weigh the shape of a text against the question', () => {
    const shape = SHAPE.time | SHAPE.number | SHAPE.place | SHAPE.name | SHAPE.question
    const found = [candidate('a', { shape }), candidate('b')]
    expect(measure(found, 0, analyse('when', []))).toMatchObject([
      { endsInQuestion: 1, namesTime: 1, holdsName: 1, whenWithTime: 1, howManyWithNumber: 0, whereWithPlace: 0 },
      { endsInQuestion: 0, namesTime: 0, holdsName: 0, whenWithTime: 0, howManyWithNumber: 0, whereWithPlace: 0 },
    ])
    expect(measure(found, 0, analyse('how many', []))[0]).toMatchObject({
      whenWithTime: 0,
      howManyWithNumber: 1,
      whereWithPlace: 0,
    })
    expect(measure(found, 0, analyse('where', []))[0]).toMatchObject({
      whenWithTime: 0,
      howManyWithNumber: 0,
      whereWithPlace: 1,
    })
  })

  it('[RNK-5] favour the actor asked about, and nobody when that is open', () => {
    const found = [candidate('a', { actor: 'Ada', bm25: 1 }), candidate('b', { bm25: 1 })]
    const asked = analyse('what did Ada say', [{ name: 'Ada', role: 'other' }])
    expect(measure(found, 0, asked)).toMatchObject([
      { askedActor: 1, askedActorBase: 1 },
      { askedActor: 0, askedActorBase: 0 },
    ])
    expect(measure(found)).toMatchObject([{ askedActor: 0 }, { askedActor: 0 }])
  })

  it('[RNK-9] are finite and within 0..1 whatever the store', () => {
    const match = fc.record({
      m: fc.double({ min: 0, max: 99, noNaN: true }),
      m2: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    const mean = fc.double({ min: -1, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        anyCandidates,
        fc.option(fc.array(match, { minLength: 12, maxLength: 12 })),
        mean,
        (found, matches, meanCosine) => {
          const measured = signals(
            analyse('when did Ada', [{ name: 'Ada', role: 'other' }]),
            found,
            collection({ meanCosine }),
            matches,
          )
          for (const [name, value] of each(measured).flatMap((one) => Object.entries(one))) {
            expect([name, value >= 0 && value <= 1.000001]).toEqual([name, true])
          }
        },
      ),
    )
  })
})
