import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bad, drawLines, line, table } from './lines.ts'
import { safeJson, visible, visibleLines } from './visible.ts'
import { cutToWidth, displayWidth } from './width.ts'

const plain = { columns: Number.POSITIVE_INFINITY, colours: false }
const driving = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b[31m', '\u009b2J', '\u202e', '日', '👩‍👩‍👧', 'é', '\r\n'),
  ),
})

describe('text on a terminal', () => {
  it('[CLI-7] no text at all keeps a character that drives a terminal', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(visible(text)).not.toMatch(driving)
        expect(visible(visible(text))).toBe(visible(text))
        for (const each of visibleLines(text)) expect(each).not.toMatch(driving)
        expect(drawLines([line(text, bad(text)), ...table([[text, text]])], plain).replaceAll('\n', '')).not.toMatch(
          driving,
        )
      }),
    )
  })

  it('[CLI-7] controls are spelt out, line breaks shown', () => {
    expect(visible('a\u001b[2Jb\nc\td\u202e')).toBe('a\\x1b[2Jb ⏎ c d\\u202e')
    expect(visibleLines('a\r\nb\u0007')).toEqual(['a', 'b\\x07'])
  })

  it('[CLI-7] JSON that is safe to show has the same value', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const value = { [text]: [text] }
        const shown = safeJson(JSON.stringify(value, null, 2))
        expect(JSON.parse(shown)).toEqual(value)
        expect(shown.replaceAll('\n', '')).not.toMatch(driving)
      }),
    )
  })

  it.each([
    ['cello', 5],
    ['重跑gen', 7],
    ['ｆｕｌｌ', 8],
    ['한국어', 6],
    ['e\u0301te\u0301', 3],
    ['👩‍👩‍👧 family', 9],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['สวัสดี', 4],
    ['…', 1],
    ['', 0],
  ])('[CLI-8] %s takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns)
  })

  it('[CLI-8] a cut text is never wider than asked for and never splits what is one character', () => {
    fc.assert(
      fc.property(anyText.map(visible), fc.integer({ min: 1, max: 40 }), (text, columns) => {
        const cut = cutToWidth(text, columns)
        expect(displayWidth(cut)).toBeLessThanOrEqual(columns)
        if (displayWidth(text) <= columns) expect(cut).toBe(text)
      }),
    )
    expect(cutToWidth('日本語の本', 6)).toBe('日本…')
    expect(cutToWidth('👩‍👩‍👧👩‍👩‍👧', 3)).toBe('👩‍👩‍👧…')
  })

  it('[CLI-8] columns of a table stand under each other, wide characters or not', () => {
    const rows = table([['日本', 'a', '1'], ['abc', 'bcd', '100']], [2]) // biome-ignore format: as a table
    expect(drawLines(rows, plain)).toBe('日本  a      1\nabc   bcd  100\n')
  })
})
