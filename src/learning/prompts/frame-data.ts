import type { JsonValue } from '../../model/index.ts'
import { roleBracket } from '../../text/index.ts'

// Angle brackets, of any width, could close the frame; the others turn text around, hide it or end a line where no line ends.
const telling =
  /[<>&＜＞﹤﹥\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu

/**
 * Anything from turns or memory as it goes into a prompt: JSON within a tag, an item of a list on each line. Whatever the
 * texts say, they can't close the tag, open another one or pose as a line of the prompt (MOD-9).
 */
export function frameData(tag: string, value: JsonValue): string {
  const lines = Array.isArray(value) ? value.map((item) => escaped(item)).join('\n') : escaped(value)
  return `<${tag}>\n${lines}\n</${tag}>`
}

/**
 * What a model said, as it is shown to it again: it may have been told to say what opens a role. Beside line breaks nothing in it is
 * anything but text, and JSON stays the same JSON.
 */
export function quoteAnswer(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => spelt(line))
    .join('\n')
}

function escaped(value: unknown): string {
  return spelt(JSON.stringify(value))
}

/** Characters as JSON spells them: within its texts they stay the same. */
function spelt(text: string): string {
  return text
    .replaceAll(telling, (character) =>
      Array.from(
        { length: character.length },
        (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
      ).join(''),
    )
    .replaceAll(roleBracket, '\\u005b')
}
