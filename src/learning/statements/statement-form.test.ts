import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldedForm, statementForm } from './index.ts'

const word: fc.Arbitrary<string> = fc.constantFrom(
  'ann',
  'likes',
  'tea',
  'not',
  'bonn',
  '3',
  'cats',
  'kiel',
  'daily',
  'monday',
  "doesn't",
  'of',
  'may',
)

it('[CSL-3] case, white space and full stops are not part of a statement; its words are', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.nat(), (words, place) => {
      const text = words.join(' ')
      for (const form of [statementForm, foldedForm]) {
        expect(form(`  ${words.join('  ').toUpperCase()}. `)).toBe(form(text))
        expect(form(`"${text}!"`)).toBe(form(text))
      }
      const at = place % words.length
      expect(foldedForm(words.toSpliced(at, 1, 'other').join(' '))).not.toBe(foldedForm(text))
      expect(statementForm(`${text} 17`)).not.toBe(statementForm(text))
    }),
  )
})

it('[CSL-3] any text has a form, the same each time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(statementForm(text)).toBe(statementForm(text))
      expect(foldedForm(text)).toBe(foldedForm(text))
    }),
  )
  for (const text of [
    '',
    ' ',
    '\ud800',
    '-'.repeat(10_000),
    '*'.repeat(10_000),
    "'s ".repeat(5000),
    'on '.repeat(5000),
  ]) {
    expect(typeof statementForm(text)).toBe('string')
  }
})
