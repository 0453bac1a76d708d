import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { characterClass, classOf } from './character-class.ts'
import { fold } from './fold.ts'

test('[TXT-16] the frozen character table agrees with the Unicode data of the running Node', () => {
  const { separator, ignored, letter, mark, accent, dense, denseMark } = characterClass
  const wrong: string[] = []
  let letters = 0
  let marks = 0
  for (let c = 0; c < 0x20000; c++) {
    const kind = classOf(c)
    const character = String.fromCodePoint(c)
    if (kind === letter) {
      letters++
      if (!/[\p{L}\p{N}]/u.test(character)) wrong.push(`letter ${c.toString(16)}`)
    } else if (kind === mark || kind === accent || kind === denseMark) {
      marks++
      if (!/\p{M}/u.test(character)) wrong.push(`mark ${c.toString(16)}`)
    } else if (kind === separator && /[\p{L}\p{N}]/u.test(character) && c < 0x530 && c !== 0x2bb && c !== 0x2bc) {
      wrong.push(`separator ${c.toString(16)}`)
    } else if (kind === dense && /[\p{P}\p{Z}]/u.test(character)) wrong.push(`dense ${c.toString(16)}`)
    else if (kind === ignored && /[\p{N}\p{P}\p{Z}]/u.test(character)) wrong.push(`ignored ${c.toString(16)}`)
  }
  expect(wrong).toEqual([])
  // Fixed with the table: a change here changes the terms of texts already stored.
  expect([letters, marks]).toEqual([18_366, 2190])
})

test('[TXT-16] every character folds as it did when the first store was written, on every Node version', () => {
  const hash = createHash('sha256')
  for (let c = 0; c < 0x110000; c++) hash.update(`${fold(String.fromCodePoint(c))}\n`)
  expect(hash.digest('hex')).toBe('cf4a11abdbb19ca129931f748e03a9860cdbd3c6bae4fae43d85e81ce6575363')
})

test('[TXT-16] a character unknown to the frozen table separates, whatever the running Node makes of it', () => {
  // Assigned in Unicode 16: an outlined letter A that newer versions fold to "a", and a Garay capital.
  expect(fold('x\u{1ccd6}y')).toBe('x y')
  expect(fold('x\u{10d50}y')).toBe('x y')
})

test('[TXT-15] a row of marks is cut, so that ordering them stays linear', () => {
  expect(Array.from(fold(`か${'\u302a\u3099'.repeat(1000)}`)).length).toBeLessThanOrEqual(31)
  expect(fold(`e${'\u0301'.repeat(1000)}`)).toBe('e')
})
