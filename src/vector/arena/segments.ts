import { crc32 } from 'node:zlib'
import { blockRows } from '../kernel/index.ts'
import type { ArenaRows } from './arena-rows.ts'
import type { Calibration } from './calibrate.ts'

/** A part of a saved arena: the head at place 0, then one for each block of rows. */
export interface Segment {
  readonly place: number
  readonly bytes: Uint8Array
}

/** Answers the bytes of a segment; null when there is none. */
export type ReadSegment = (place: number) => Promise<Uint8Array | null | undefined> | Uint8Array | null | undefined

// Read as numbers of the machine: a file from one of the other byte order does not match.
const magic = 0x6d6e7631
const version = 1
/** Magic, version, place, checksum of the rest. */
const headerBytes = 16

interface Head {
  readonly dimensions: number
  readonly rows: number
  readonly calibration: Calibration | null
  /** Checksums of the blocks: that they are the ones that were saved with this head, or before and unchanged. */
  readonly sums: readonly number[]
}

export function headSegment(rows: ArenaRows, calibration: Calibration | null, sums: readonly number[]): Segment {
  const head: Head = { dimensions: rows.dimensions, rows: rows.count, calibration, sums }
  return sealed(0, [Buffer.from(JSON.stringify(head))])
}

/** The rows of a block: which are in use, codes with traits, sign bits. */
export function blockSegment(rows: ArenaRows, block: number): Segment & { readonly sum: number } {
  return sealed(block + 1, partsOf(rows, block))
}

/** The head; null when it is damaged or of another version. */
export function readHead(bytes: Uint8Array): Head | null {
  const opening = opened(bytes, 0)
  return opening === null ? null : (JSON.parse(Buffer.from(opening.payload).toString('utf8')) as Head)
}

/** Fills a block of restored rows; false when the segment is damaged or was not saved with the head. */
export function readBlock(rows: ArenaRows, head: Head, block: number, bytes: Uint8Array): boolean {
  const opening = opened(bytes, block + 1)
  if (opening === null || opening.sum !== head.sums[block]) return false
  let at = 0
  for (const part of partsOf(rows, block)) {
    part.set(opening.payload.subarray(at, at + part.length))
    at += part.length
  }
  return true
}

/** What is saved of a block, in place. */
function partsOf(rows: ArenaRows, block: number): readonly Uint8Array[] {
  const first = block * blockRows
  const count = Math.min(blockRows, rows.count - first)
  const { u8 } = rows.kernel.memory
  const part = (from: number, bytes: number): Uint8Array => u8.subarray(from, from + bytes)
  return [
    rows.live.subarray(first, first + count),
    part(rows.coded(first), count * rows.width),
    part(rows.bits(first), (count * rows.stride) / 8),
  ]
}

function sealed(place: number, parts: readonly Uint8Array[]): Segment & { readonly sum: number } {
  const bytes = new Uint8Array(parts.reduce((total, part) => total + part.length, headerBytes))
  let at = headerBytes
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  const sum = crc32(bytes.subarray(headerBytes))
  bytes.set(new Uint8Array(Uint32Array.of(magic, version, place, sum).buffer))
  return { place, bytes, sum }
}

function opened(bytes: Uint8Array, place: number): { payload: Uint8Array; sum: number } | null {
  if (bytes.length < headerBytes) return null
  const header = new Uint32Array(bytes.slice(0, headerBytes).buffer)
  const payload = bytes.subarray(headerBytes)
  const sum = crc32(payload)
  return [magic, version, place, sum].every((value, i) => header[i] === value) ? { payload, sum } : null
}
