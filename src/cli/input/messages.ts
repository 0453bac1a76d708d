import { readFile } from 'node:fs/promises'
import { InputError } from '../../errors/index.ts'
import { parseJsonText, refuse } from './option-values.ts'

/** What somebody wrote down of a conversation: a JSON array, JSON lines, an object with `messages`, or plain text. */
export function parseMessages(text: string, what: string): unknown {
  const start = text.trimStart()
  if (start.startsWith('[{') || /^\[\s*(?:\{|\])/.test(start)) return parseJsonText(text, what)
  if (!/^\{\s*"/.test(start)) return text
  const lines = text.split(/\r?\n/).map((line, i) => ({ line, number: i + 1 }))
  const filled = lines.filter(({ line }) => line.trim() !== '')
  if (filled.every(({ line }) => line.trimStart().startsWith('{') && line.trimEnd().endsWith('}'))) {
    const parsed = filled.map(({ line, number }) => parseJsonText(line, `${what}, line ${number}`))
    return parsed.length === 1 ? messagesIn(parsed[0]) : parsed
  }
  return messagesIn(parseJsonText(text, what))
}

function messagesIn(value: unknown): unknown {
  const given = value as { readonly messages?: unknown } | null
  return Array.isArray(given?.messages) ? given.messages : [value]
}

/** The text of a file. @throws InputError naming it */
export async function textOfFile(path: string, flag: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\ufeff/, '').replace(/\r?\n$/, '')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `${flag}: ${path} can't be read (${code}). Check the path and its permissions.`,
      details: { path },
      cause,
    })
  }
}

/** Either a file or a text, not both. */
export function refuseBoth(): never {
  throw refuse('--file', 'names what is to be learnt, and so does the argument')
}
