/** How many units around a cut show whether it goes through a character. */
const around = 64
/** How far a longer beginning is looked for that counts no more than a shorter one: pieces of words merge into one token. */
const lookahead = 24
/** How many characters before the cut are tried where one more character made fewer tokens of it. */
const lookback = 64

let segmenter: Intl.Segmenter | undefined

/** `at`, or one less where a surrogate pair would be cut. */
function wholeUnits(text: string, at: number): number {
  const isCut = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  return isCut ? at - 1 : at
}

/** The last place up to `at` where nothing is cut that a reader takes for one character, as far as `around` units show. */
function characterStart(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length))
  const whole = wholeUnits(text, at)
  if (text.charCodeAt(whole) < 0x80 && text.charCodeAt(whole - 1) < 0x80) {
    return text[whole] === '\n' && text[whole - 1] === '\r' ? whole - 1 : whole
  }
  const from = wholeUnits(text, Math.max(0, whole - around))
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const start = from + (segmenter.segment(text.slice(from, whole + around)).containing(whole - from)?.index ?? 0)
  // One without end is cut after all.
  return start === from && from > 0 ? whole : start
}

/**
 * The longest beginning of a text that counts at most `tokens`, without the white space before the cut. No character is cut in
 * two. A short beginning of a long text costs little: a few dozen counts of texts up to a few times its length.
 */
export function prefixWithin(text: string, tokens: number, count: (text: string) => number): string {
  // Blanks may count nothing.
  if (!(tokens > 0)) return text.trim() === '' && count(text) <= tokens ? text : ''
  if (text === '') return ''
  const countTo = (end: number) => count(text.slice(0, end))
  let low = 0
  let high = Math.min(text.length, 16 + tokens * 4)
  for (;;) {
    if (countTo(wholeUnits(text, high)) > tokens) break
    if (high === text.length) return text
    low = high
    high = Math.min(text.length, high * 2)
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (countTo(wholeUnits(text, middle)) <= tokens) low = middle
    else high = middle
  }
  for (let end = Math.min(text.length, low + lookahead); end > low; end--) {
    if (countTo(wholeUnits(text, end)) <= tokens) low = end
  }
  let end = characterStart(text, low)
  for (let tried = 0; end > 0 && tried < lookback; tried++) {
    const cut = text.slice(0, end)
    const trimmed = cut.trimEnd()
    if (count(trimmed) <= tokens) return trimmed
    if (count(cut) <= tokens) return cut
    end = characterStart(text, end - 1)
  }
  return ''
}
