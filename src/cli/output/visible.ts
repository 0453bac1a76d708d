// Controls that move cursors, colour, retitle windows or, for the bidirectional ones, reorder what is read.
const hostile = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

function spell(character: string): string {
  const code = character.codePointAt(0) as number
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`
}

/** The text on one line, with nothing left that could drive a terminal: controls are spelt out, such as `\x1b` (CLI-7). */
export function visible(text: string): string {
  return text
    .replace(/\r\n|[\n\r]/g, ' ⏎ ')
    .replaceAll('\t', ' ')
    .replace(hostile, spell)
}

/** The lines of a text, each made visible. */
export function visibleLines(text: string): string[] {
  return text.split(/\r\n|[\n\r]/).map((line) => line.replaceAll('\t', '    ').replace(hostile, spell))
}

/** JSON with the same value and no character that could drive a terminal. */
export function safeJson(json: string): string {
  return json.replace(hostile, (character) => {
    if (character === '\n') return character
    return Array.from({ length: character.length }, (_, i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
    }).join('')
  })
}
