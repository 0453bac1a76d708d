const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

function digits(value: number, count: number): string {
  return value.toString(2).padStart(count, '0').replaceAll('0', '\x02').replaceAll('1', '\x03')
}

/** What stands for a unit that PostgreSQL has no place for in a text, or for one of those that stand for such. */
function spelt(unit: number): string {
  return unit <= 3 ? `\x01${digits(unit, 2)}` : `\uffff${digits(unit === 0xffff ? 2048 : unit - 0xd800, 12)}`
}

/**
 * Any text as one that PostgreSQL takes: NUL and lone surrogates are spelt by characters that are spelt themselves where they
 * occur. One text is a part or the beginning of another exactly if their spellings are, as long as the one neither begins nor ends
 * with half of a character; a text without surrogates or U+E000 and beyond is spelt in the order of UTF-16.
 */
export function bareText(text: string): string {
  let bare = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 3 && unit < 0xd800) continue
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) i++
    else if (unit <= 3 || unit <= 0xdfff || unit === 0xffff) {
      bare += text.slice(from, i) + spelt(unit)
      from = i + 1
    }
  }
  return from === 0 ? text : bare + text.slice(from)
}

/** A JSON value with all names and texts spelt so. */
export function bareJson(value: unknown): unknown {
  if (typeof value === 'string') return bareText(value)
  if (Array.isArray(value)) return value.map(bareJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [bareText(name), bareJson(item)]))
}
