import { characterClass, classOf } from './character-class.ts'
import { isAscii } from './fold.ts'

/**
 * The words of a text as written, in order: runs of letters, digits and underscores, and emoji one by one. Coarser than
 * `terms` (my_key and 用gpt are one word here), but cut at the same places: the terms of the words are those of the text.
 */
export function words(text: string): string[] {
  if (isAscii(text)) return text.match(/\w+/g) ?? []
  const found: string[] = []
  let start = -1
  let last = -1
  const end = (): void => {
    if (start >= 0) found.push(text.slice(start, last))
    start = -1
  }
  for (let i = 0; i < text.length; ) {
    const codePoint = text.codePointAt(i)!
    const kind = codePoint === 0x5f ? characterClass.letter : classOf(codePoint)
    const next = i + (codePoint > 0xffff ? 2 : 1)
    if (kind === characterClass.letter || kind >= characterClass.dense) {
      if (start < 0) start = i
      last = next
    } else if (kind === characterClass.mark || kind === characterClass.accent) {
      last = next
    } else if (kind !== characterClass.ignored) {
      end()
      if (kind === characterClass.symbol) found.push(text.slice(i, next))
    }
    i = next
  }
  end()
  return found
}
