import { blockRows, type Kernel, scoreBins, stepsPerOne, traitBytes } from './kernel.ts'
import { KernelMemory } from './kernel-memory.ts'

const round = Math.fround
const largestMemory = 2 ** 32
const lanes = 16
const blockBits = Math.log2(blockRows)

/** The kernel in plain TypeScript: slower, runs everywhere, and is what the compiled one is checked against. */
export function plainKernel(): Kernel {
  let buffer = new ArrayBuffer(65_536)
  const memory = new KernelMemory((bytes) => {
    if (bytes > buffer.byteLength) buffer = larger(buffer, bytes)
    return buffer
  })
  return {
    kind: 'plain',
    memory,
    dots(table, list, first, count, stride, query, out) {
      const { f32, u32 } = memory
      for (let i = 0; i < count; i++) {
        const row = rowOf(u32, table, 0, rowAt(u32, list, first, i), stride * 4)
        f32[(out >>> 2) + i] = dot(f32, row, query, stride)
      }
    },
    quantise(rows, count, stride, coded) {
      for (let i = 0; i < count; i++) {
        quantiseRow(memory, rows + i * stride * 4, stride, coded + i * (stride + traitBytes))
      }
    },
    signs(coded, count, stride, mean, bits) {
      const { i8, f32, u8 } = memory
      u8.fill(0, bits, bits + (count * stride) / 8)
      for (let i = 0; i < count; i++) {
        const codes = coded + i * (stride + traitBytes)
        const step = f32[(codes + stride) >>> 2]!
        for (let j = 0; j < stride; j++) {
          if (round(i8[codes + j]! * step) > f32[(mean >>> 2) + j]!)
            u8[bits + ((i * stride + j) >>> 3)]! |= 1 << (j & 7)
        }
      }
    },
    hamming(table, column, list, first, count, stride, query, keys, histogram) {
      const { u16, u32 } = memory
      for (let i = 0; i < count; i++) {
        const row = rowOf(u32, table, column, rowAt(u32, list, first, i), stride / 8)
        const key = alike(u32, row, query, stride)
        u16[(keys >>> 1) + i] = key
        u32[(histogram >>> 2) + key]!++
      }
    },
    products(table, list, first, count, stride, width, query, out) {
      const { i8, i16, i32, u32 } = memory
      for (let i = 0; i < count; i++) {
        const row = rowOf(u32, table, 0, rowAt(u32, list, first, i), width)
        i32[(out >>> 2) + i] = product(i8, row, i16, query >>> 1, stride)
      }
    },
    blend(table, list, count, width, weights, out) {
      const { i8, f32, f64, u32 } = memory
      for (let i = 0; i < count; i++) {
        const row = rowOf(u32, table, 0, rowAt(u32, list, 0, i), width)
        const weight = f32[(weights >>> 2) + i]!
        for (let j = 0, at = out / 8; j < width; j++, at++) f64[at]! += weight * i8[row + j]!
      }
    },
    rate(products, table, list, first, count, stride, scale, spread, slack, lowest, perBin, keys, histogram) {
      const { f32, i32, u16, u32 } = memory
      const bin = binning(lowest, perBin)
      for (let i = 0; i < count; i++) {
        const traits = rowOf(u32, table, stride, rowAt(u32, list, first, i), stride + traitBytes) >>> 2
        const score = round(round(i32[(products >>> 2) + i]!) * round(f32[traits]! * round(scale)))
        const error = round(round(f32[traits + 1]! * round(spread)) + round(slack))
        u16[(keys >>> 1) + i] = bin(round(score + error))
        u32[(histogram >>> 2) + bin(round(score - error))]!++
      }
    },
    sums(table, list, first, count, stride, out) {
      const { i8, f32, f64, u32 } = memory
      for (let i = 0; i < count; i++) {
        const codes = rowOf(u32, table, 0, rowAt(u32, list, first, i), stride + traitBytes)
        const steps = f32[(codes + stride) >>> 2]! * stepsPerOne
        for (let j = 0, at = out / 8; j < stride; j++, at++) f64[at]! += i8[codes + j]! * steps
      }
    },
    collect(keys, list, first, count, low, high, out) {
      const { u16, u32 } = memory
      let found = 0
      for (let i = 0; i < count; i++) {
        const key = u16[(keys >>> 1) + i]!
        if (key >= low && key < high) u32[(out >>> 2) + found++] = rowAt(u32, list, first, i)
      }
      return found
    },
  }
}

function larger(buffer: ArrayBuffer, bytes: number): ArrayBuffer {
  const copy = new ArrayBuffer(Math.max(bytes, Math.min(2 * buffer.byteLength, largestMemory)))
  new Uint8Array(copy).set(new Uint8Array(buffer))
  return copy
}

function rowOf(u32: Uint32Array, table: number, column: number, row: number, width: number): number {
  return u32[(table >>> 2) + (row >>> blockBits)]! + column + (row & (blockRows - 1)) * width
}

/** The row at place `i` of a list, or of consecutive rows when there is none. */
function rowAt(u32: Uint32Array, list: number, first: number, i: number): number {
  return list === 0 ? first + i : u32[(list >>> 2) + i]!
}

const running = new Float64Array(lanes)

/** Rounds after every step as float32 arithmetic does, and adds in the order of the compiled kernel. */
function dot(f32: Float32Array, row: number, query: number, stride: number): number {
  running.fill(0)
  const a = row >>> 2
  const b = query >>> 2
  for (let j = 0; j < stride; j += lanes) {
    for (let lane = 0; lane < lanes; lane++) {
      running[lane] = round(running[lane]! + round(f32[a + j + lane]! * f32[b + j + lane]!))
    }
  }
  const column = (lane: number): number =>
    round(round(running[lane]! + running[lane + 4]!) + round(running[lane + 8]! + running[lane + 12]!))
  return round(round(column(0) + column(1)) + round(column(2) + column(3)))
}

function quantiseRow(memory: KernelMemory, row: number, stride: number, codes: number): void {
  const { f32, i8 } = memory
  const from = row >>> 2
  let largest = 0
  for (let j = 0; j < stride; j++) largest = Math.max(largest, Math.abs(f32[from + j]!))
  const step = round(Math.ceil((largest * stepsPerOne) / 127) / stepsPerOne)
  let squares = 0
  for (let j = 0; j < stride; j++) {
    const value = f32[from + j]!
    const code = step === 0 ? 0 : roundHalfEven(round(value / step))
    i8[codes + j] = code
    const rest = value - step * code
    squares += rest * rest
  }
  f32[(codes + stride) >>> 2] = step
  f32[((codes + stride) >>> 2) + 1] = Math.sqrt(squares) * 1.000001
}

function roundHalfEven(value: number): number {
  const nearest = Math.round(value)
  return nearest - value === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest
}

function alike(u32: Uint32Array, row: number, query: number, stride: number): number {
  let apart = 0
  const a = row >>> 2
  const b = query >>> 2
  for (let word = 0; word < stride / 32; word++) apart += onesIn(u32[a + word]! ^ u32[b + word]!)
  return stride - apart
}

function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

function product(i8: Int8Array, codes: number, i16: Int16Array, query: number, stride: number): number {
  let sum0 = 0
  let sum1 = 0
  let sum2 = 0
  let sum3 = 0
  for (let j = 0; j < stride; j += 4) {
    sum0 = (sum0 + Math.imul(i8[codes + j]!, i16[query + j]!)) | 0
    sum1 = (sum1 + Math.imul(i8[codes + j + 1]!, i16[query + j + 1]!)) | 0
    sum2 = (sum2 + Math.imul(i8[codes + j + 2]!, i16[query + j + 2]!)) | 0
    sum3 = (sum3 + Math.imul(i8[codes + j + 3]!, i16[query + j + 3]!)) | 0
  }
  return (sum0 + sum1 + sum2 + sum3) | 0
}

function binning(lowest: number, perBin: number): (score: number) => number {
  const start = round(lowest)
  const width = round(perBin)
  // What is no number counts as the first bin, as when compiled code converts it.
  return (score) => Math.min(scoreBins - 1, Math.max(0, Math.trunc(round(round(score - start) * width)) || 0))
}
