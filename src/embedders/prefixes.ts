import { createHash } from 'node:crypto'
import type { EmbedOptions } from '../contract/index.ts'

export interface Prefixes {
  /** Put before every question, e.g. `query: ` for e5 models. @default '' */
  readonly queryPrefix?: string
  /** Put before every document, e.g. `passage: ` for e5 models. Part of the id, as stored vectors depend on it. @default '' */
  readonly documentPrefix?: string
}

export function prefixFor(
  { queryPrefix = '', documentPrefix = '' }: Prefixes,
  purpose: EmbedOptions['purpose'],
): string {
  return purpose === 'query' ? queryPrefix : documentPrefix
}

/** Ends an id so that vectors made with another document prefix are not taken for the same; empty without one. */
export function prefixFingerprint({ documentPrefix = '' }: Prefixes): string {
  if (documentPrefix === '') return ''
  return `#${createHash('sha256').update(documentPrefix).digest('hex').slice(0, 8)}`
}
