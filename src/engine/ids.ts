import { randomFillSync } from 'node:crypto'

/** The largest time that fits into a UUIDv7. */
const maxTime = 2 ** 48 - 1

/**
 * Makes UUIDv7s (RFC 9562, method 1 of section 6.2) that ascend, also within a millisecond and when the clock goes back.
 * @returns a function from epoch milliseconds to an id
 */
export function uuidv7s(): (now: number) => string {
  // One id a time would spend most of its time on asking for 16 bytes.
  const pool = Buffer.alloc(4096)
  let used = pool.length
  let lastTime = 0
  let sequence = 0
  return (now) => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.subarray(used, used + 16)
    used += 16
    if (now > lastTime && now <= maxTime) {
      lastTime = Math.floor(now)
      // Half of the range, so that thousands of ids of one millisecond still ascend.
      sequence = bytes.readUInt16BE(6) & 0x7ff
    } else if (++sequence > 0xfff) {
      lastTime += 1
      sequence = 0
    }
    bytes.writeUIntBE(lastTime, 0, 6)
    bytes.writeUInt16BE(0x7000 | sequence, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    const hex = bytes.toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }
}
