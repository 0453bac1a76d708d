import type { CST } from 'yaml'

/** Deeper than any JSON value that is taken (JSN-2), with room for what it stands in. */
const deepest = 200

/**
 * Whether YAML is nested deeper than 200 levels: what makes values of it goes down level by level, and ends the whole process where the stack ends.
 * This walk has no stack to run out of.
 */
export async function isDeepYaml(text: string): Promise<boolean> {
  const { Parser } = await import('yaml')
  for (const document of new Parser().parse(text)) {
    const waiting: [token: CST.Token, depth: number][] = [[document, 0]]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [token, depth] = next
      if (depth > deepest) return true
      if ('value' in token && token.value) waiting.push([token.value, depth])
      if (!('items' in token)) continue
      for (const { key, value } of token.items) {
        if (key) waiting.push([key, depth + 1])
        if (value) waiting.push([value, depth + 1])
      }
    }
  }
  return false
}
