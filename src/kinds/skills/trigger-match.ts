import { isStopWord, words } from '../../text/index.ts'

/** The words of a text; those of a name written as one are several. */
export function wordsOf(text: string): string[] {
  return words(text.replaceAll('_', ' '))
}

/** Whether a text has a word that says something. */
export function hasContent(text: string): boolean {
  return wordsOf(text).some((word) => !isStopWord(word))
}

/** Whether a run of words stands in another; one without words stands nowhere. */
function holds(whole: readonly string[], part: readonly string[]): boolean {
  if (part.length === 0) return false
  const last = whole.length - part.length
  for (let start = 0; start <= last; start++) {
    if (part.every((term, i) => whole[start + i] === term)) return true
  }
  return false
}

/**
 * By how many words a trigger that matches is longer or shorter than the need; null when it does not match. It does when it
 * stands in the need or the need in it, whole stemmed words in order, or when the need is the name (SKL-7).
 * @param saysSomething whether the trigger has a word that does
 */
export function triggerDistance(
  wanted: readonly string[],
  trigger: readonly string[],
  name: readonly string[],
  saysSomething: boolean,
): number | null {
  const isName = name.length === wanted.length && holds(name, wanted)
  const matches = isName || holds(trigger, wanted) || (saysSomething && holds(wanted, trigger))
  return matches ? Math.abs(trigger.length - wanted.length) : null
}
