import type { JsonValue } from '../model/index.ts'

/** Why an answer holds no JSON that can be used. */
export type UnreadableAnswer = 'empty' | 'too long' | 'no JSON' | 'cut off' | 'too deep' | 'several'

export type JsonAnswer =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: UnreadableAnswer }

const longest = 1_000_000
const deepest = 100
/** How an object or a list of JSON begins. What else begins with a bracket is prose. */
const beginning = /\{(?=\s*["}])|\[(?=\s*(?:[[{"\]\d-]|true|false|null))/g

/**
 * The JSON object or list in what a model answered, with a code fence or prose around it or not: the one that `accepts`
 * takes, else the first. One pass over at most 1,000,000 characters. Never a part of something that was cut off or is not
 * JSON as a whole: half an answer may say the opposite of the whole one. Nor one of several that differ: models repeat the
 * empty answer of their prompt before they give theirs, and correct themselves after it (MOD-3).
 */
export function readJsonAnswer(text: string, accepts: (value: JsonValue) => boolean = () => true): JsonAnswer {
  if (text.length > longest) return { ok: false, reason: 'too long' }
  const answer = withoutThoughts(text)
  if (answer.trim() === '') return { ok: false, reason: 'empty' }
  let first: JsonValue | undefined
  let accepted: JsonValue | undefined
  beginning.lastIndex = 0
  for (let at = beginning.exec(answer); at !== null; at = beginning.exec(answer)) {
    const end = endOf(answer, at.index)
    if (typeof end === 'string') return { ok: false, reason: end }
    const value = parsed(answer.slice(at.index, end))
    beginning.lastIndex = end
    if (value === undefined) continue
    first ??= value
    if (!accepts(value)) continue
    if (accepted !== undefined && JSON.stringify(accepted) !== JSON.stringify(value)) {
      return { ok: false, reason: 'several' }
    }
    accepted = value
  }
  const value = accepted ?? first
  return value === undefined ? { ok: false, reason: 'no JSON' } : { ok: true, value }
}

/** What a model says after it thought aloud, which some do in front of their answer. One that never came to its end said nothing. */
export function withoutThoughts(text: string): string {
  const start = text.trimStart()
  if (!start.startsWith('<think>')) return text
  const end = start.indexOf('</think>')
  return end < 0 ? '' : start.slice(end + '</think>'.length).trimStart()
}

/** Behind the bracket that closes the one at `start`. */
function endOf(text: string, start: number): number | 'cut off' | 'too deep' {
  let depth = 0
  let quoted = false
  for (let i = start; i < text.length; i++) {
    const character = text[i]
    if (quoted) {
      if (character === '\\') i++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{' || character === '[') {
      if (++depth > deepest) return 'too deep'
    } else if ((character === '}' || character === ']') && --depth === 0) return i + 1
  }
  return 'cut off'
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
