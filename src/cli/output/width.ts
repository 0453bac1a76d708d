// Letters of Latin scripts, dashes, quotation marks and the ellipsis: one column each, no mark that joins another.
const narrow = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2010-\u2027]*$/
const pictograph = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\u{fe0f}|\p{Regional_Indicator}{2})/u
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]/u
// East Asian Width W and F of Unicode, emoji apart; unassigned places between them are taken along.
const wide =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u

let segmenter: Intl.Segmenter | undefined

function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function widthOf(grapheme: string): number {
  if (pictograph.test(grapheme) || wide.test(grapheme)) return 2
  return zeroWidth.test(grapheme) ? 0 : 1
}

/** Columns that a text takes on a terminal: CJK characters and emoji take two, combining marks none (CLI-8). */
export function displayWidth(text: string): number {
  if (narrow.test(text)) return text.length
  return graphemes(text).reduce((sum, grapheme) => sum + widthOf(grapheme), 0)
}

/** The text, cut with an ellipsis where it is wider than `columns`. */
export function cutToWidth(text: string, columns: number): string {
  if (text.length <= columns && narrow.test(text)) return text
  if (displayWidth(text) <= columns) return text
  let kept = ''
  let width = 0
  for (const grapheme of graphemes(text)) {
    width += widthOf(grapheme)
    if (width > columns - 1) break
    kept += grapheme
  }
  return `${kept.trimEnd()}…`
}
