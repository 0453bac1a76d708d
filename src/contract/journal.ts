import type { Scope } from '../model/index.ts'

/** Who read or wrote what and why, without content. */
export interface JournalLine {
  readonly op: 'read' | 'write'
  readonly verb: string
  readonly actor?: string | undefined
  readonly reason?: string | undefined
  readonly ids: readonly string[]
  readonly scope: Scope
}

/** Where an owner's chain ends. */
export interface JournalEnd {
  /** As `ownerKey` gives it. */
  readonly owner: string
  /** Of the last line. */
  readonly seq: number
}

/** A journal line in its owner's chain: `digest = sha256(previous digest + canonical line)`. */
export interface JournalEntry extends JournalLine {
  /** 1, 2, 3 … per owner. */
  readonly seq: number
  readonly at: number
  readonly tx: string
  readonly digest: string
}
