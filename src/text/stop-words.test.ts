import { expect, test } from 'vitest'
import { isStopWord, stopWords, words } from './index.ts'

test('[TXT-17] English stop words are known in any case; words that carry meaning are none', () => {
  expect(words('What did The cat do, and WHY?').filter((word) => !isStopWord(word))).toEqual(['cat'])
  for (const word of ['not', 'no', 'never', 'up', 'who1', 'die', '']) expect(isStopWord(word)).toBe(false)
  expect(stopWords.en.size).toBe(71)
})
