import type { Cursor } from '../../contract/index.ts'
import type { Calibration } from '../../vector/index.ts'
import type { LogSpan } from './segment.ts'
import { segmentFormat } from './segment-bytes.ts'

export const headKey = 'head'
const headFormat = `3/${segmentFormat}`

/** Which part of a snapshot holds which segment. */
export interface SavedSegment {
  readonly key: string
  readonly span: LogSpan
  /** Bits of the places, in base64: 1 for records that lived when the head was written. */
  readonly living: string
}

/** What a snapshot says of the whole index; no content is in it. */
export interface SnapshotHead {
  /** Who made the analyses: another analyser's are made anew. */
  readonly analyser: string
  /** @see SnapshotState */
  readonly epoch: string
  /** The position up to which the log is in it. */
  readonly cursor: Cursor
  /** The `derived` of the log up to which no late vector is missing. */
  readonly derived: string
  /** Changes of the log that made it: tells which of two is newer. */
  readonly changes: number
  readonly arrivals: number
  /** What was learnt of the vectors, by space. */
  readonly calibrations: Readonly<Record<string, Calibration>>
  readonly segments: readonly SavedSegment[]
}

export function encodeHead(head: SnapshotHead): Uint8Array {
  return Buffer.from(JSON.stringify({ format: headFormat, ...head }))
}

/** Null for what is no head of this version. */
export function decodeHead(chunks: readonly Uint8Array[] | null): SnapshotHead | null {
  const [bytes] = chunks ?? []
  if (bytes === undefined) return null
  const head = JSON.parse(Buffer.from(bytes).toString()) as SnapshotHead & { readonly format: unknown }
  return head.format === headFormat ? head : null
}

export function livingBits(status: Uint8Array): string {
  const bits = Buffer.alloc(Math.ceil(status.length / 8))
  status.forEach((value, place) => {
    if (value !== 0) bits[place >> 3]! |= 1 << (place & 7)
  })
  return bits.toString('base64')
}

/** Marks as dead whatever did not live. */
export function applyLiving(status: Uint8Array, living: string): void {
  const bits = Buffer.from(living, 'base64')
  for (let place = 0; place < status.length; place++) {
    // Most are all alive.
    if ((place & 7) === 0 && bits[place >> 3] === 0xff) place += 7
    else if (((bits[place >> 3] ?? 0) & (1 << (place & 7))) === 0) status[place] = 0
  }
}
