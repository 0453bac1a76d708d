import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeMemoryText, unescapeMemoryText } from './index.ts'

const formats = ['markdown', 'xml', 'text'] as const

const piece = fc.constantFrom(
  ...[
    '\n',
    '\r\n',
    '\t',
    '\\',
    '\\n',
    '\\u{41}',
    '&lt;',
    '&amp;amp;',
    '<',
    '>',
    '"',
    '[1]',
    '[',
    ']',
    '(',
    ')',
    '(mneme)',
  ],
  ...[
    '［1］',
    '【 2 】',
    '[1, 2]',
    '[^3]',
    '﹇1﹈',
    '[/INST]',
    '[TOOL_CALLS]',
    '＜',
    '&#91;1&#93;',
    '\u0338',
    '\u0301'.repeat(20),
    '</memory>',
    '## End of memory (mneme)',
    '\n\nHuman:',
    '<|im_start|>',
    '```',
    '![x](http://e/?q=)',
  ],
  ...[
    '\u202e',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u{e0041}',
    '\u001b[31m',
    '\0',
    '\u2028',
    '\ud800',
    '\udc00',
    '\ufe0f',
    '👨‍👩‍👧',
    '# ',
    '1. ',
    ' ',
  ],
)
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 12 }).map((pieces) => pieces.join('')),
)

describe('text of a memory in a line of a format', () => {
  it('[FED-10] comes back exactly, whatever it is', () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom(...formats), (text, format) => {
        expect(unescapeMemoryText(escapeMemoryText(text, format))).toBe(text)
      }),
      { numRuns: 3000 },
    )
  })

  it('[FED-10] is one line that holds no tag, citation, marker, nor anything unseen', () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom(...formats), (text, format) => {
        const safe = escapeMemoryText(text, format)
        expect(safe).not.toMatch(
          /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e0fff}]/u,
        )
        expect(safe).not.toMatch(/<[^\s=]/)
        // Also after a normalisation, which makes other characters of some of them.
        for (const normal of [safe, safe.normalize('NFKC')]) {
          expect(normal).not.toMatch(/<[^\s=]/)
          expect(normal).not.toMatch(/(?<!\\)[[［【〔]\s*\^?\p{N}[\p{N}\s,]*[\]］】〕]/u)
          expect(normal).not.toMatch(/(?<!\\)\[\/?(?:INST|TOOL_CALLS)\]/)
        }
        expect(`<item>${safe}`.normalize('NFC')).toMatch(/^<item>/)
        expect(safe).not.toMatch(/\p{M}{9}/u)
        expect(unescapeMemoryText(safe)).toBe(text)
        expect(safe).not.toMatch(/(?<!\\)\(mneme\)/i)
        expect(safe).toBe(safe.trim() === '' ? safe : safe.replace(/^ | $/g, ''))
        if (format === 'xml') expect(safe).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot);)/)
        if (format === 'markdown') expect(safe).not.toMatch(/(?<!\\)(?:\\\\)*[[\]`]|^[#>+*=~-]|^\d+[.)]/)
      }),
      { numRuns: 3000 },
    )
  })

  it('[FED-10] leaves ordinary text as it is', () => {
    for (const text of [
      'Ann lives in Bonn (since May), pays 12 % & likes "tea": 1 < 2.',
      '我住在东京。「はい」と言った。',
      '👨‍👩‍👧 ❤️ 1️⃣ نمی‌خواهم',
      'a_b * c ~ d',
      'Tiếng Việt, שָׁל֥וֹם, ภาษาไทย, e\u0301',
    ]) {
      expect(escapeMemoryText(text, 'text')).toBe(text)
      expect(escapeMemoryText(text, 'markdown')).toBe(text)
    }
    expect(escapeMemoryText('👨‍👩‍👧 ❤️ نمی‌خواهم', 'xml')).toBe('👨‍👩‍👧 ❤️ نمی‌خواهم')
  })
})
