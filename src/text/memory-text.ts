/** How memories are written for a model. */
export type ContextFormat = 'markdown' | 'xml' | 'text'

// What can't be seen, moves what can be seen, or ends a line: controls, formats (bidi, zero-width, tags), fillers, variation
// selectors, line and paragraph separators, private use, surrogates without their half. Kept where a script or an emoji needs it.
const unseen =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})\ufe0f|(?<=[#*0-9])\ufe0f(?=\u20e3)|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Sinhala}\p{Script=Malayalam}\p{M}])[\u200c\u200d](?=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Sinhala}\p{Script=Malayalam}])|([\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}])/gu

const openers = '\\[［﹇【〔〖〘〚⟦⟨⟬❲❴⦗⦋⁅﹝'
const closers = '\\]］﹈】〕〗〙〛⟧⟩⟭❳❵⦘⦌⁆﹞'
const roles = [
  'INST|SYS|SYSTEM_PROMPT|MODEL_SETTINGS|THINK|gMASK|PREFIX|SUFFIX|MIDDLE',
  'AVAILABLE_TOOLS|TOOL_CALLS|TOOL_CONTENT|TOOL_RESULTS|CALL_ID|ARGS|IMG|IMG_BREAK|IMG_END|AUDIO|BEGIN_AUDIO',
].join('|')
// Bracketed numbers are how memories are cited; a bracketed role is how some models are told who speaks.
const label = new RegExp(
  `[${openers}](?=\\s*(?:\\^?\\p{N}[\\p{N}\\p{M}\\s,;–-]*|\\/?(?:${roles})\\s*)[${closers}])`,
  'gu',
)
/** The bracket before a role, as some models are told who speaks: `[INST]`. */
export const roleBracket = new RegExp(`\\[(?=\\/?(?:${roles})\\])`, 'g')
const ourName = /[(（﹙](?=mneme[)）﹚])/gi
// The widths of `<` that a normalisation makes one of.
const wideAngle = /[＜﹤＞﹥]/gu
// On what stands before it a mark makes another character; a tower of them covers the lines around it.
const strayMark = /^\p{M}|(?<=\p{M}{8})\p{M}/gu
const tag = /<(?=[^\s=])/gu
const entity = /&(?=#?\w{1,40};)/g

function codePoint(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

function visible(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  return codePoint(character)
}

/**
 * Text as a piece of one line that can't be taken for anything but text: no line break, no tag, no citation, no marker, nothing
 * unseen. What stays is as near to the original as the format lets it be. `unescapeMemoryText` gives it back exactly (FED-10).
 */
export function escapeMemoryText(text: string, format: ContextFormat): string {
  let safe = text
    .replace(/\\/g, '\\\\')
    .replace(unseen, (kept, character: string | undefined) => (character === undefined ? kept : visible(character)))
    .replace(label, (character) => (character === '[' ? '\\u{5b}' : codePoint(character)))
    .replace(ourName, (character) => (character === '(' ? '\\(' : codePoint(character)))
    .replace(wideAngle, codePoint)
    .replace(strayMark, codePoint)
    .replace(/^\(/, '\\(')
    .replace(/^\s|\s$/g, codePoint)
  if (format === 'xml') {
    safe = safe.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
  } else {
    safe = safe.replace(entity, '&amp;').replace(tag, '&lt;')
  }
  if (format === 'markdown') {
    // First marks of a line make blocks; brackets make links and images; back-ticks make code, in which nothing is escaped.
    safe = safe
      .replace(/[[\]`]/g, '\\$&')
      .replace(/^[#>+\-=*~|_:$]/, '\\$&')
      .replace(/^(\d{1,9})([.)])/, '$1\\$2')
  }
  return safe
}

const escapes = /\\u\{([0-9a-f]{1,6})\}|\\n|\\t|\\([!-/:-@[-`{-~])|&(amp|lt|gt|quot);/g
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** What was written with `escapeMemoryText`, in whichever format. Anything else is left as it is. */
export function unescapeMemoryText(text: string): string {
  return text.replace(escapes, (all, hex: string | undefined, mark: string | undefined, name: string | undefined) => {
    if (hex !== undefined)
      return Number.parseInt(hex, 16) > 0x10ffff ? all : String.fromCodePoint(Number.parseInt(hex, 16))
    if (mark !== undefined) return mark
    if (name !== undefined) return entities[name] ?? all
    return all === '\\n' ? '\n' : '\t'
  })
}
