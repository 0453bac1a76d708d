import { expect, test } from 'vitest'
import { plainBm25 } from './plain-bm25.ts'

const texts = [
  { id: 'a', content: 'the cat sat on the mat' },
  { id: 'b', content: 'the dog slept' },
  { id: 'c', content: 'cats and cats and one more cat' },
  { id: 'd', content: 'rain' },
]

test('[BEN-7] plain BM25 ranks by the rarest and most repeated words of the question', () => {
  expect(plainBm25(texts)('cat')).toEqual(['c', 'a'])
})

test('[BEN-7] every word of the question counts, stop words too, and what has none of them is not found', () => {
  expect(new Set(plainBm25(texts)('the'))).toEqual(new Set(['a', 'b']))
  expect(plainBm25(texts)('is the dog wet?')).toEqual(['b', 'a'])
  expect(plainBm25(texts)('snow')).toEqual([])
  expect(plainBm25([])('snow')).toEqual([])
})
