/** A character of a word: `\w` of JavaScript knows ASCII only. */
export const letter = String.raw`[\p{L}\p{N}_]`
// `\b` of JavaScript knows ASCII only: it would find "last" in "élast". These know every script.
/** Before a letter: here a word begins. */
export const start = `(?<!${letter})`
/** After a letter: here a word ends. */
export const end = `(?!${letter})`

/**
 * A pattern that finds in texts of ASCII what the given one finds, in a tenth of the time: such texts, which are most,
 * need no tables of Unicode.
 */
export function forAscii({ source, flags }: RegExp): RegExp {
  const plain = source
    .replaceAll(start, String.raw`\b`)
    .replaceAll(end, String.raw`\b`)
    .replaceAll(letter, String.raw`\w`)
  return new RegExp(plain, flags.replace('u', ''))
}
