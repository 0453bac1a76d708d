import { characterClass, classOf } from './character-class.ts'

// As in the stream-safe text format of UAX 15: sorting an endless row of marks would take quadratic time.
const maxMarks = 30
const maxMemo = 16_384

// Letters that do not decompose into a base letter and an accent, and the form in which they are typed without one.
const plainForms: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ς: 'σ',
}

const memo = new Map<number, string>()

/**
 * The text as search compares it: lower case, without accents, compatibility forms (full width, ligatures, mathematical
 * letters) replaced by plain ones, invisible characters dropped, everything that is not ASCII and separates words a space.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  let out = ''
  let kept = 0
  let marks = 0
  for (let i = 0; i < text.length; ) {
    const codePoint = text.codePointAt(i)!
    const width = codePoint > 0xffff ? 2 : 1
    if (codePoint < 0x80) {
      marks = 0
    } else {
      const kind = classOf(codePoint)
      let folded = foldCodePoint(codePoint)
      if (kind === characterClass.mark || kind === characterClass.denseMark) {
        marks += 1
        if (marks > maxMarks) folded = ''
      } else if (folded !== '') marks = 0
      // Stretches that stay as they are get copied as a whole.
      if (folded.length !== width || folded.codePointAt(0) !== codePoint) {
        out += text.slice(kept, i) + folded
        kept = i + width
      }
    }
    i += width
  }
  return (out + text.slice(kept)).toLowerCase().normalize('NFC')
}

/** Whether the text has no character beyond U+007F. */
export function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  return !/[^\x00-\x7f]/.test(text)
}

function foldCodePoint(codePoint: number): string {
  const known = memo.get(codePoint)
  if (known !== undefined) return known
  const folded = foldUncached(codePoint)
  if (memo.size >= maxMemo) memo.clear()
  memo.set(codePoint, folded)
  return folded
}

function foldUncached(codePoint: number): string {
  const character = String.fromCodePoint(codePoint)
  switch (classOf(codePoint)) {
    case characterClass.separator:
      return ' '
    case characterClass.ignored:
    case characterClass.accent:
      return ''
    case characterClass.letter:
      return plain(withoutAccents(compatible(character, 'NFKD')).toLowerCase())
    case characterClass.dense:
      // ㅋㅋ stays as typed: as conjoining jamo it would melt into a syllable with its neighbours.
      return codePoint >= 0x3131 && codePoint <= 0x318e ? character : compatible(character, 'NFKC')
    default:
      return character
  }
}

/** The compatibility form, unless it would break a word: ½ is not 1/2, and 2½ not 21. */
function compatible(character: string, form: 'NFKC' | 'NFKD'): string {
  const mapped = character.normalize(form)
  const breaks = Array.from(mapped).some((c) => classOf(c.codePointAt(0)!) === characterClass.separator)
  return breaks ? character.normalize(form === 'NFKD' ? 'NFD' : 'NFC') : mapped
}

function withoutAccents(text: string): string {
  return Array.from(text, (c) => (classOf(c.codePointAt(0)!) === characterClass.accent ? '' : c)).join('')
}

function plain(text: string): string {
  return Array.from(text, (c) => plainForms[c] ?? c).join('')
}
