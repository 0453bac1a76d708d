import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sentences } from './index.ts'

test('[TXT-12] splits English, German, Chinese and Japanese, and not at abbreviations', () => {
  const cases: [string, string[]][] = [
    ['I moved. Did you know? Yes!', ['I moved.', 'Did you know?', 'Yes!']],
    [
      'Dr. Smith met J. R. Jones, e.g. at 3.5 p.m. Then he left.',
      ['Dr. Smith met J. R. Jones, e.g. at 3.5 p.m.', 'Then he left.'],
    ],
    ['Milk, eggs etc. are out. Buy some.', ['Milk, eggs etc. are out.', 'Buy some.']],
    ['"Really?" he said. (I was surprised.) End', ['"Really?" he said.', '(I was surprised.)', 'End']],
    ['Well... maybe. so be it', ['Well... maybe.', 'so be it']],
    ['Am 8. Mai zahlte ich z.B. 1.840 Euro. Danke!', ['Am 8. Mai zahlte ich z.B. 1.840 Euro.', 'Danke!']],
    ['你好。我很好！你呢？', ['你好。', '我很好！', '你呢？']],
    ['「はい。」と言った', ['「はい。」', 'と言った']],
    ['1. First. Then\n2. Second\r\n\r\nthird', ['1. First.', 'Then', '2. Second', 'third']],
    ['mneme.dev/x?y=1 is up', ['mneme.dev/x?y=1 is up']],
    ['', []],
    [' \n ', []],
  ]
  for (const [text, expected] of cases) expect(sentences(text)).toEqual(expected)
})

test('[TXT-12] loses nothing but white space, whatever the text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('.', '!', '。', '"', ' ', '\n', 'a', 'Dr', '8', 'Mai', 'etc', '…', '\ud800'))
      .map((x) => x.join('')),
  )
  fc.assert(
    fc.property(text, (any) => {
      const found = sentences(any)
      expect(found.join('').replace(/\s/g, '')).toBe(any.replace(/\s/g, ''))
      for (const sentence of found) expect(sentence.trim()).toBe(sentence)
    }),
  )
})
