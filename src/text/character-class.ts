import { letterRanges, markRanges } from './unicode-ranges.ts'

/** How the tokenizer treats a code point. The order matters: everything from `dense` on belongs to a dense run. */
export const characterClass = {
  /** Ends a word. Also everything that Unicode 15.1 does not know. */
  separator: 0,
  /** Invisible, or only makes a word longer: dropped, so that it neither splits a word nor changes it. */
  ignored: 1,
  letter: 2,
  /** Belongs to the letter before it. */
  mark: 3,
  /** A mark that search leaves out: accents, Arabic and Hebrew vowel points. */
  accent: 4,
  /** An emoji: a word of its own. */
  symbol: 5,
  /** A letter of a script written without spaces between words. */
  dense: 6,
  denseMark: 7,
} as const

export type CharacterClass = (typeof characterClass)[keyof typeof characterClass]

type Range = readonly [first: number, last: number]

const ignored: readonly Range[] = [
  [0xad, 0xad], // soft hyphen
  [0x61c, 0x61c], // Arabic letter mark
  [0x640, 0x640], // tatweel, which stretches a word
  [0x180b, 0x180f],
  [0x200b, 0x200f], // zero-width space, joiners, direction marks
  [0x202a, 0x202e],
  [0x2060, 0x2064],
  [0x2066, 0x206f],
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff],
  [0x1f3fb, 0x1f3ff], // skin tones
]

// Letters by category, but people type them as apostrophes: Ukrainian м'яч, Hawai'i.
const separators: readonly Range[] = [[0x2bb, 0x2bc]]

const accents: readonly Range[] = [
  [0x300, 0x36f],
  [0x483, 0x489],
  [0x591, 0x5c7],
  [0x610, 0x61a],
  [0x64b, 0x65f],
  [0x670, 0x670],
  [0x6d6, 0x6ed],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0xfe20, 0xfe2f],
]

const symbols: readonly Range[] = [
  [0x231a, 0x231b],
  [0x23e9, 0x23fa],
  [0x2600, 0x27bf],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b55],
  [0x1f000, 0x1faff],
]

// Digits of the South-East Asian scripts stay out: a number is a word there too.
const denseBlocks: readonly Range[] = [
  [0xe00, 0xe4f], // Thai
  [0xe5a, 0xe7f],
  [0xe80, 0xecf], // Lao
  [0xeda, 0xeff],
  [0x1000, 0x103f], // Myanmar
  [0x104a, 0x108f],
  [0x109a, 0x109f],
  [0x1100, 0x11ff], // Hangul
  [0x1780, 0x17df], // Khmer
  [0x1950, 0x19cf], // Tai Le, New Tai Lue
  [0x1a20, 0x1a7f], // Tai Tham
  [0x1b00, 0x1b4f], // Balinese
  [0x3000, 0x303f], // 々, 〇
  [0x3040, 0x31bf], // kana, Bopomofo, Hangul
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf], // Han
  [0x4e00, 0xa4cf], // Han, Yi
  [0xa960, 0xa97f],
  [0xa980, 0xa9cf], // Javanese
  [0xa9e0, 0xa9ef],
  [0xa9fa, 0xa9ff],
  [0xaa60, 0xaadf],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
  [0xff66, 0xffdc], // half-width kana and Hangul
  [0x16fe0, 0x18d8f], // Tangut and others
  [0x1aff0, 0x1b16f],
]

// No letters by category, yet letters to a reader: radicals that stand for Han characters, and halves of flags.
const denseExtras: readonly Range[] = [
  [0x2e80, 0x2fd5],
  [0x1f1e6, 0x1f1ff],
]

const size = 0x20000

function buildTable(): Uint8Array {
  const classes = new Uint8Array(size)
  const paint = (ranges: readonly Range[], to: (now: number) => number): void => {
    for (const [first, last] of ranges) for (let c = first; c <= last; c++) classes[c] = to(classes[c]!)
  }
  const { separator, letter, mark, accent, symbol, dense, denseMark } = characterClass
  for (const [first, last] of decode(letterRanges)) classes.fill(letter, first, last + 1)
  for (const [first, last] of decode(markRanges)) classes.fill(mark, first, last + 1)
  paint(accents, (now) => (now === mark ? accent : now))
  paint(denseBlocks, (now) => (now === letter ? dense : now === mark ? denseMark : now))
  paint(symbols, (now) => (now === separator ? symbol : now))
  paint(denseExtras, () => dense)
  paint(separators, () => separator)
  paint(ignored, () => characterClass.ignored)
  return classes
}

function decode(ranges: string): Range[] {
  const decoded: Range[] = []
  const numbers = ranges.split(' ')
  let at = 0
  for (let i = 0; i < numbers.length; i += 2) {
    const first = at + Number.parseInt(numbers[i]!, 36)
    at = first + Number.parseInt(numbers[i + 1]!, 36)
    decoded.push([first, at - 1])
  }
  return decoded
}

// Built for the first text that is not ASCII: some milliseconds that an import should not cost.
let table: Uint8Array | undefined

/** The class of a code point; a lone surrogate is a separator. The same on every platform and Node version. */
export function classOf(codePoint: number): CharacterClass {
  if (codePoint < size) {
    table ??= buildTable()
    return table[codePoint] as CharacterClass
  }
  // Planes 2 and 3 are set aside for Han, whatever is still to be added to them.
  if (codePoint < 0x40000) return characterClass.dense
  return codePoint >= 0xe0000 && codePoint < 0xe1000 ? characterClass.ignored : characterClass.separator
}
