import { dropped, marks } from './unicode-14.ts'

/** Text of which nothing needs cleaning but its case: printable ASCII, and the controls that count as spaces. */
const plain = /^[\t\n\r -~]*$/

/**
 * Lower-case text without accents and control characters. Of the white space only the ASCII kind is left, and every
 * CJK ideograph stands alone.
 */
export function cleanText(text: string): string {
  if (plain.test(text)) return text.toLowerCase()
  let kept = ''
  for (const character of text) {
    const code = character.codePointAt(0)!
    // Printable ASCII first: most of a text even when a quotation mark brought it here.
    if (code >= 0x20 && code < 0x7f) kept += character
    else if (dropped.has(code)) continue
    else if (isWideSpace(code)) kept += ' '
    else if (isIdeograph(code)) kept += ` ${character} `
    else kept += character
  }
  let cleaned = ''
  // One code point at a time: in a whole string a Greek sigma is lower-cased by its neighbours.
  for (const character of kept.normalize('NFD')) {
    const code = character.codePointAt(0)!
    if (code < 0x80 || !marks.has(code)) cleaned += character.toLowerCase()
  }
  return cleaned
}

/** White_Space beyond ASCII, without U+0085, which is a control. The property is closed to new members in practice. */
function isWideSpace(code: number): boolean {
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  )
}

/** The blocks that BERT's tokenizer calls Chinese; kana and hangul are not among them. */
function isIdeograph(code: number): boolean {
  return (
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x20000 && code <= 0x2a6df) ||
    (code >= 0x2a700 && code <= 0x2b73f) ||
    (code >= 0x2b740 && code <= 0x2b81f) ||
    (code >= 0x2b920 && code <= 0x2ceaf) ||
    (code >= 0x2f800 && code <= 0x2fa1f)
  )
}
