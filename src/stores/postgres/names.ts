import { createHash } from 'node:crypto'

/** In front of a name that is written as JSON. */
const marker = '\u0001'

/**
 * A name as PostgreSQL can hold and compare it: itself, mostly; with NUL or lone surrogates, JSON. No two names become one.
 */
export function encodeName(name: string): string {
  const isPlain = !name.includes('\u0000') && !name.startsWith(marker) && name.isWellFormed()
  return isPlain ? name : marker + JSON.stringify(name)
}

export function decodeName(text: string): string {
  return text.startsWith(marker) ? (JSON.parse(text.slice(marker.length)) as string) : text
}

/** Stands for a text of any length: 32 bytes. */
export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** The number of a lock: of the store itself, or of something in it. Two things may have one number, and then wait for each other. */
export function lockNumber(identity: string, name = ''): number {
  return createHash('sha256').update(identity).update('\u0000').update(name).digest().readUIntBE(0, 6)
}
