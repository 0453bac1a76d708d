import { describe, expect, it } from 'vitest'
import { why } from './why.ts'

describe('why a memory was found', () => {
  it('[CLI-21] the strongest three reasons are said, strongest first', () => {
    const signals = { meaning: 0.5, words: 1, coverage: 0.6, whenWithTime: 1, askedActor: 1, previous: 0.3 }
    expect(why({ relevance: 0.6, signals })).toBe('the same words, said by the person asked about, names a time')
  })

  it('[CLI-21] by ranks alone what was measured speaks for itself', () => {
    expect(why({ relevance: 0.6, signals: { bm25: 0.7, cosine: 0.71 } })).toBe('the same words, close in meaning')
  })

  it('[CLI-21] the best of a search that found nothing alike is not praised', () => {
    expect(why({ relevance: 0.05, signals: { meaning: 1 } })).toBe('little speaks for it: close in meaning')
    expect(why({ relevance: 0.05, signals: {} })).toBe('little speaks for it')
    expect(why({ signals: {} })).toBe('a little of everything')
  })
})
