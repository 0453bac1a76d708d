import { crc32 } from 'node:zlib'
import { blockRows } from '../kernel/index.ts'
import type { ArenaRows } from './arena-rows.ts'
import type { Calibration } from './calibrate.ts'

/** A part of a saved arena: the head at place 0, then one for each block of rows. */
export interface Segment {
  readonly place: number
  readonly bytes: Uint8Array
}

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
  return sealed(0, Buffer.from(JSON.stringify(head)))
}

/** The rows of a block: which are in use, codes with traits, sign bits. */
export function blockSegment(rows: ArenaRows, block: number): Segment & { readonly sum: number } {
  const first = block * blockRows
  const count = Math.min(blockRows, rows.count - first)
  const { u8 } = rows.kernel.memory
  const parts = [
    rows.live.subarray(first, first + count),
    ...columns(rows, first, count).map(({ from, bytes }) => u8.subarray(from, from + bytes)),
  ]
  return sealed(block + 1, Buffer.concat(parts))
}

/** Null when there is none, or it is damaged or of another version. */
export function readHead(segments: readonly Uint8Array[]): Head | null {
  const opening = opened(segments[0], 0)
  return opening === null ? null : (JSON.parse(Buffer.from(opening.payload).toString('utf8')) as Head)
}

/** Fills empty rows; false when a segment is damaged or missing, or was not saved with the head. */
export function readBlocks(rows: ArenaRows, head: Head, segments: readonly Uint8Array[]): boolean {
  const payloads: Uint8Array[] = []
  for (let block = 0; block * blockRows < head.rows; block++) {
    const opening = opened(segments[block + 1], block + 1)
    if (opening === null || opening.sum !== head.sums[block]) return false
    payloads.push(opening.payload)
  }
  rows.restore(head.rows, (row) => payloads[Math.floor(row / blockRows)]![row % blockRows] === 1)
  for (const [block, payload] of payloads.entries()) {
    const first = block * blockRows
    const count = Math.min(blockRows, head.rows - first)
    let at = count
    for (const { from, bytes } of columns(rows, first, count)) {
      rows.kernel.memory.u8.set(payload.subarray(at, at + bytes), from)
      at += bytes
    }
  }
  return true
}

function columns(rows: ArenaRows, first: number, count: number): readonly { from: number; bytes: number }[] {
  return [
    { from: rows.coded(first), bytes: count * rows.width },
    { from: rows.bits(first), bytes: (count * rows.stride) / 8 },
  ]
}

function sealed(place: number, payload: Uint8Array): Segment & { readonly sum: number } {
  const bytes = new Uint8Array(headerBytes + payload.length)
  const sum = crc32(payload)
  bytes.set(payload, headerBytes)
  bytes.set(new Uint8Array(Uint32Array.of(magic, version, place, sum).buffer))
  return { place, bytes, sum }
}

function opened(bytes: Uint8Array | undefined, place: number): { payload: Uint8Array; sum: number } | null {
  if (bytes === undefined || bytes.length < headerBytes) return null
  const header = new Uint32Array(bytes.slice(0, headerBytes).buffer)
  const payload = bytes.subarray(headerBytes)
  const sum = crc32(payload)
  return [magic, version, place, sum].every((value, i) => header[i] === value) ? { payload, sum } : null
}
