const lineLength = 96
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** One line of a text, cut at a readable length and never inside a character. */
export function shorten(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  const all = [...graphemes.segment(line)].map(({ segment }) => segment)
  return all.length <= lineLength ? line : `${all.slice(0, lineLength - 1).join('')}…`
}

/** The whole text in readable lines. Scripts without spaces stay in one line. */
export function wrap(text) {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const longer = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`
    if (longer.length > lineLength && lines.at(-1) !== '') lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}

/** A day as people write it, in the zone it was lived in. */
export function dayOf(instant, zone = 'UTC') {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: zone }).format(
    new Date(instant),
  )
}
