import { withRoom } from './columns.ts'

const SMALLEST = 256

// How a text is written: the first byte says which.
const UTF8 = 0
/** A UUID as it is usually written, in 16 bytes. */
const UUID = 1
/** What UTF-8 can't hold: halves of surrogate pairs. */
const UTF16 = 2

const UUID_LENGTH = 36
const UUID_BYTES = 16
/** By character code: the value of a hexadecimal digit in lower case, -1 for others. */
const digitValues = Int8Array.from({ length: 128 }, (_, code) => '0123456789abcdef'.indexOf(String.fromCharCode(code)))
const digits = Buffer.from('0123456789abcdef')
const HYPHEN = 0x2d
/** Where the hyphens of a UUID are, and its digits. */
const hyphenPlaces = [8, 13, 18, 23]
const digitPlaces = Uint8Array.from({ length: UUID_LENGTH }, (_, i) => i).filter((i) => !hyphenPlaces.includes(i))

/** A text to look for. */
export interface TextKey {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly hash: number
}

export function textKey(text: string): TextKey {
  return keyIn(new Uint8Array(spaceFor(text)), text)
}

let shared = new Uint8Array(SMALLEST)

/** The same, good until the next call: nothing has to be made for it. */
export function passingKey(text: string): TextKey {
  shared = withRoom(shared, spaceFor(text))
  return keyIn(shared, text)
}

function keyIn(bytes: Uint8Array, text: string): TextKey {
  const end = write(text, bytes, 0)
  return { bytes, start: 0, end, hash: hashOf(bytes, 0, end) }
}

/** FNV-1a, its bits mixed once more, as tables use a few of them only. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** Texts side by side in one array of bytes: a tenth of what strings cost. */
export class Texts {
  #bytes: Buffer
  #ends: Uint32Array
  #count: number

  constructor(bytes: Uint8Array = new Uint8Array(0), ends: Uint32Array = new Uint32Array(0)) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#ends = ends
    this.#count = ends.length
  }

  get count(): number {
    return this.#count
  }

  /** Without room for more. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#startOf(this.#count))
  }

  /** Where each text ends. */
  get ends(): Uint32Array {
    return this.#ends.subarray(0, this.#count)
  }

  add(text: string): void {
    const start = this.#startOf(this.#count)
    this.#makeRoom(start + spaceFor(text))
    this.#end(write(text, this.#bytes, start))
  }

  /** A place that no text is at: it takes no bytes, not even those of an empty text. */
  addNone(): void {
    this.#end(this.#startOf(this.#count))
  }

  /** False for a place that no text is at. */
  has(place: number): boolean {
    return this.#ends[place]! > this.#startOf(place)
  }

  at(place: number): string {
    return read(this.#bytes, this.#startOf(place), this.#ends[place]!)
  }

  is(place: number, key: TextKey): boolean {
    const { bytes, start, end } = key
    const own = this.#bytes
    let at = this.#startOf(place)
    if (this.#ends[place]! - at !== end - start) return false
    // Most differ at their end, as ids that begin with the time do.
    at += end - start
    for (let i = end - 1; i >= start; i--) if (own[--at] !== bytes[i]) return false
    return true
  }

  /** Orders a text and one of others by code point; null where only the strings can tell. */
  compare(place: number, others: Texts, other: number): number | null {
    const [a, b] = [this.#bytes, others.#bytes]
    const [start, end] = [this.#startOf(place), this.#ends[place]!]
    const [otherStart, otherEnd] = [others.#startOf(other), others.#ends[other]!]
    // Bytes of UTF-8 stand in the order of code points, and those of UUIDs in that of their digits.
    if (a[start] !== b[otherStart] || a[start] === UTF16) return null
    const length = Math.min(end - start, otherEnd - otherStart)
    for (let i = 0; i < length; i++) {
      const difference = a[start + i]! - b[otherStart + i]!
      if (difference !== 0) return difference
    }
    return end - start - (otherEnd - otherStart)
  }

  /** The first place from `from` on that a text is at; -1 for none. Looks through all bytes. */
  placeOf({ bytes, start, end }: TextKey, from = 0): number {
    const used = this.#bytes.subarray(0, this.#startOf(this.#count))
    const wanted = bytes.subarray(start, end)
    for (let at = used.indexOf(wanted, this.#startOf(from)); at >= 0; at = used.indexOf(wanted, at + 1)) {
      const place = this.#placeAt(at)
      if (this.#startOf(place) === at && this.#ends[place] === at + wanted.length) return place
    }
    return -1
  }

  keyAt(place: number): TextKey {
    return { bytes: this.#bytes, start: this.#startOf(place), end: this.#ends[place]!, hash: this.hashAt(place) }
  }

  hashAt(place: number): number {
    return hashOf(this.#bytes, this.#startOf(place), this.#ends[place]!)
  }

  /** The place whose text a byte belongs to. */
  #placeAt(at: number): number {
    let low = 0
    let high = this.#count - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#ends[middle]! <= at) low = middle + 1
      else high = middle
    }
    return low
  }

  #makeRoom(length: number): void {
    if (length <= this.#bytes.length) return
    const larger = Buffer.from(new ArrayBuffer(Math.max(SMALLEST, length, 2 * this.#bytes.length)))
    larger.set(this.#bytes)
    this.#bytes = larger
  }

  #startOf(place: number): number {
    return place === 0 ? 0 : this.#ends[place - 1]!
  }

  #end(end: number): void {
    this.#ends = withRoom(this.#ends, this.#count + 1)
    this.#ends[this.#count++] = end
  }
}

/** How many bytes a text takes at most. */
function spaceFor(text: string): number {
  return 1 + 3 * text.length
}

/** Answers where the text ends. */
function write(text: string, bytes: Uint8Array, start: number): number {
  if (text.length === UUID_LENGTH && writeUuid(text, bytes, start)) return start + 1 + UUID_BYTES
  bytes[start] = UTF8
  let at = start + 1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0x80) return writeOther(text, bytes, start)
    bytes[at++] = code
  }
  return at
}

function writeOther(text: string, bytes: Uint8Array, start: number): number {
  const target = Buffer.from(bytes.buffer, bytes.byteOffset + start + 1)
  const form = text.isWellFormed() ? UTF8 : UTF16
  bytes[start] = form
  return start + 1 + target.write(text, form === UTF8 ? 'utf8' : 'utf16le')
}

function writeUuid(text: string, bytes: Uint8Array, start: number): boolean {
  for (const place of hyphenPlaces) if (text.charCodeAt(place) !== HYPHEN) return false
  bytes[start] = UUID
  for (let i = 0; i < UUID_BYTES; i++) {
    const high = digitValues[text.charCodeAt(digitPlaces[2 * i]!)] ?? -1
    const low = digitValues[text.charCodeAt(digitPlaces[2 * i + 1]!)] ?? -1
    if (high < 0 || low < 0) return false
    bytes[start + 1 + i] = high * 16 + low
  }
  return true
}

function read(bytes: Buffer, start: number, end: number): string {
  const form = bytes[start]
  if (form === UUID) return readUuid(bytes, start + 1)
  return bytes.toString(form === UTF8 ? 'utf8' : 'utf16le', start + 1, end)
}

const uuidText = Buffer.alloc(UUID_LENGTH, HYPHEN)

function readUuid(bytes: Uint8Array, start: number): string {
  for (let i = 0; i < UUID_BYTES; i++) {
    const byte = bytes[start + i]!
    uuidText[digitPlaces[2 * i]!] = digits[byte >> 4]!
    uuidText[digitPlaces[2 * i + 1]!] = digits[byte & 15]!
  }
  return uuidText.toString('latin1')
}
