/** Where a quote stands in a text: from its first character up to and without the one after its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

const space = /\s/

/** The text with runs of white space as one space, and for each character where it came from. */
function folded(text: string): { readonly text: string; readonly places: readonly number[] } {
  let out = ''
  const places: number[] = []
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string
    if (!space.test(character)) {
      out += character
      places.push(i)
    } else if (out !== '' && !out.endsWith(' ')) {
      out += ' '
      places.push(i)
    }
  }
  return { text: out, places }
}

/** Fewer characters prove nothing: they are in every text. */
const shortest = 3

/** Where the words of a quote stand literally in a text, white space aside; null where they don't. */
export function findQuote(text: string, quote: string): Span | null {
  const wanted = quote.replace(/\s+/g, ' ').trim()
  if (wanted.length < shortest) return null
  const { text: within, places } = folded(text)
  const at = within.indexOf(wanted)
  if (at < 0) return null
  return { start: places[at] as number, end: (places[at + wanted.length - 1] as number) + 1 }
}
