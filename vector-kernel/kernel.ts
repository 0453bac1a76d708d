// biome-ignore-all lint/style/noParameterAssign: addresses move along the rows
// The vector kernel: AssemblyScript, compiled to WASM SIMD by build.mjs. What each function does is said in
// src/vector/kernel/kernel.ts; src/vector/kernel/plain-kernel.ts does the same in TypeScript, to the last bit.
//
// Numbers are addresses in the imported memory, or counts. A vector takes `stride` numbers, a multiple of 64, the last of them
// zeros. Vectors lie in blocks of 1024 rows; a table holds the address of each block. A coded row is `stride` int8 codes and its
// two traits side by side, so that both come from memory at once.

/** Where a row of `width` bytes lies, in a column that starts `column` bytes into each block. */
function rowOf(table: usize, column: usize, row: u32, width: usize): usize {
  return <usize>load<u32>(table + ((<usize>(row >> 10)) << 2)) + column + <usize>(row & 1023) * width
}

/** The row at place `i` of a list, or of consecutive rows when there is none. */
function rowAt(list: usize, first: u32, i: i32): u32 {
  return list === 0 ? first + <u32>i : load<u32>(list + ((<usize>i) << 2))
}

// ---- float32

export function dots(table: usize, list: usize, first: u32, count: i32, stride: i32, query: usize, out: usize): void {
  const width = (<usize>stride) << 2
  for (let i = 0; i < count; i++) {
    // Listed rows lie anywhere: some are asked for together before they are needed.
    if (list !== 0 && i % 8 === 0) {
      let touched: i32 = 0
      for (let j = i; j < min<i32>(i + 8, count); j++) {
        const row = rowOf(table, 0, rowAt(list, first, j), width)
        for (let at: usize = 0; at < width; at += 64) touched ^= load<i32>(row + at)
      }
      // Overwritten below: only so that the loads are not left out.
      store<i32>(out + ((<usize>i) << 2), touched)
    }
    let a = rowOf(table, 0, rowAt(list, first, i), width)
    let b = query
    const end = a + width
    // Sixteen running sums, then a fixed order: the plain kernel adds in the same one.
    let s0 = f32x4.splat(0)
    let s1 = f32x4.splat(0)
    let s2 = f32x4.splat(0)
    let s3 = f32x4.splat(0)
    while (a < end) {
      s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)))
      s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v128.load(b, 16)))
      s2 = f32x4.add(s2, f32x4.mul(v128.load(a, 32), v128.load(b, 32)))
      s3 = f32x4.add(s3, f32x4.mul(v128.load(a, 48), v128.load(b, 48)))
      a += 64
      b += 64
    }
    s0 = f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3))
    const low = f32x4.extract_lane(s0, 0) + f32x4.extract_lane(s0, 1)
    const high = f32x4.extract_lane(s0, 2) + f32x4.extract_lane(s0, 3)
    store<f32>(out + ((<usize>i) << 2), low + high)
  }
}

// ---- quantising

export function quantise(rows: usize, count: i32, stride: i32, coded: usize): void {
  for (let i = 0; i < count; i++) {
    let largest: f32 = 0
    for (let j = 0; j < stride; j++) largest = max<f32>(largest, abs<f32>(load<f32>(rows + ((<usize>j) << 2))))
    // A multiple of 2^-21, so that sums of codes times steps are whole numbers of that.
    const step = <f32>(ceil<f64>((<f64>largest * 2097152.0) / 127.0) / 2097152.0)
    let squares: f64 = 0
    for (let j = 0; j < stride; j++) {
      const value = load<f32>(rows + ((<usize>j) << 2))
      const code: f32 = step === 0 ? 0 : nearest<f32>(value / step)
      store<i8>(coded + <usize>j, <i8>code)
      const rest = <f64>value - <f64>step * <f64>code
      squares += rest * rest
    }
    store<f32>(coded + <usize>stride, step)
    store<f32>(coded + <usize>stride, <f32>(sqrt<f64>(squares) * 1.000001), 4)
    rows += (<usize>stride) << 2
    coded += <usize>stride + 8
  }
}

export function signs(coded: usize, count: i32, stride: i32, mean: usize, bits: usize): void {
  for (let i = 0; i < count; i++) {
    const step = f32x4.splat(load<f32>(coded + <usize>stride))
    for (let j = 0; j < stride; j += 16) {
      const codes = v128.load(coded + <usize>j)
      const low = i16x8.extend_low_i8x16_s(codes)
      const high = i16x8.extend_high_i8x16_s(codes)
      const at = mean + ((<usize>j) << 2)
      const a = above(i32x4.extend_low_i16x8_s(low), step, at)
      const b = above(i32x4.extend_high_i16x8_s(low), step, at + 16)
      const c = above(i32x4.extend_low_i16x8_s(high), step, at + 32)
      const d = above(i32x4.extend_high_i16x8_s(high), step, at + 48)
      store<u16>(bits, <u16>(a | (b << 4) | (c << 8) | (d << 12)))
      bits += 2
    }
    coded += <usize>stride + 8
  }
}

function above(values: v128, step: v128, mean: usize): i32 {
  return i32x4.bitmask(f32x4.gt(f32x4.mul(f32x4.convert_i32x4_s(values), step), v128.load(mean)))
}

// ---- sign bits

export function hamming(
  table: usize,
  column: usize,
  list: usize,
  first: u32,
  count: i32,
  stride: i32,
  query: usize,
  keys: usize,
  histogram: usize,
): void {
  const width = <usize>stride >> 3
  if (stride === 256 && list === 0) {
    hammingRun(table, column, first, count, query, keys, histogram)
    return
  }
  for (let i = 0; i < count; i++) {
    let a = rowOf(table, column, rowAt(list, first, i), width)
    let b = query
    const end = a + width
    let apart: i64 = 0
    while (a < end) {
      apart += popcnt<i64>(load<i64>(a) ^ load<i64>(b))
      a += 8
      b += 8
    }
    const key = <u32>stride - <u32>apart
    store<u16>(keys + ((<usize>i) << 1), <u16>key)
    const bin = histogram + ((<usize>key) << 2)
    store<u32>(bin, load<u32>(bin) + 1)
  }
}

/** The scan that everything waits for: all rows of the commonest length, block by block, with the query in registers. */
function hammingRun(
  table: usize,
  column: usize,
  first: u32,
  count: i32,
  query: usize,
  keys: usize,
  histogram: usize,
): void {
  const q0 = load<i64>(query)
  const q1 = load<i64>(query, 8)
  const q2 = load<i64>(query, 16)
  const q3 = load<i64>(query, 24)
  const last = first + <u32>count
  while (first < last) {
    const end = min<u32>(last, (first | 1023) + 1)
    let a = rowOf(table, column, first, 32)
    for (; first < end; first++) {
      const apart =
        popcnt<i64>(load<i64>(a) ^ q0) +
        popcnt<i64>(load<i64>(a, 8) ^ q1) +
        (popcnt<i64>(load<i64>(a, 16) ^ q2) + popcnt<i64>(load<i64>(a, 24) ^ q3))
      const key = 256 - <u32>apart
      store<u16>(keys, <u16>key)
      const bin = histogram + ((<usize>key) << 2)
      store<u32>(bin, load<u32>(bin) + 1)
      a += 32
      keys += 2
    }
  }
}

// ---- int8

export function products(
  table: usize,
  list: usize,
  first: u32,
  count: i32,
  stride: i32,
  width: usize,
  query: usize,
  out: usize,
): void {
  for (let from = 0; from < count; from += 16) {
    const to = min<i32>(from + 16, count)
    // Listed rows lie anywhere: asked for together, they come from memory twice as fast as one after the other. Those of a run
    // do so by themselves.
    if (list !== 0 && rowAt(list, first, to - 1) - rowAt(list, first, from) !== <u32>(to - 1 - from)) {
      let touched: i32 = 0
      for (let i = from; i < to; i++) {
        const row = rowOf(table, 0, rowAt(list, first, i), width)
        for (let at: usize = 0; at < width; at += 64) touched ^= load<i32>(row + at)
      }
      // Overwritten below: only so that the loads are not left out.
      store<i32>(out + ((<usize>from) << 2), touched)
    }
    for (let i = from; i < to; i++) {
      let a = rowOf(table, 0, rowAt(list, first, i), width)
      let b = query
      const end = a + <usize>stride
      let s0 = i32x4.splat(0)
      let s1 = i32x4.splat(0)
      while (a < end) {
        s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(a), v128.load(b)))
        s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(a, 8), v128.load(b, 16)))
        s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(a, 16), v128.load(b, 32)))
        s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(a, 24), v128.load(b, 48)))
        a += 32
        b += 64
      }
      s0 = i32x4.add(s0, s1)
      const low = i32x4.extract_lane(s0, 0) + i32x4.extract_lane(s0, 1)
      const high = i32x4.extract_lane(s0, 2) + i32x4.extract_lane(s0, 3)
      store<i32>(out + ((<usize>i) << 2), low + high)
    }
  }
}

export function rate(
  numbers: usize,
  table: usize,
  list: usize,
  first: u32,
  count: i32,
  stride: i32,
  scale: f32,
  spread: f32,
  slack: f32,
  lowest: f32,
  perBin: f32,
  keys: usize,
  histogram: usize,
): void {
  const traits = <usize>stride
  const width = traits + 8
  // Four at a time: one by one, this took half as long as the products themselves. Those past the end repeat the last one.
  for (let i = 0; i < count; i += 4) {
    const last = count - 1
    const a = rowOf(table, traits, rowAt(list, first, i), width)
    const b = rowOf(table, traits, rowAt(list, first, min<i32>(i + 1, last)), width)
    const c = rowOf(table, traits, rowAt(list, first, min<i32>(i + 2, last)), width)
    const d = rowOf(table, traits, rowAt(list, first, min<i32>(i + 3, last)), width)
    const ab = v128.load64_lane(b, v128.load64_zero(a), 1)
    const cd = v128.load64_lane(d, v128.load64_zero(c), 1)
    const steps = v128.shuffle<f32>(ab, cd, 0, 2, 4, 6)
    const bounds = v128.shuffle<f32>(ab, cd, 1, 3, 5, 7)
    const products = f32x4.convert_i32x4_s(v128.load(numbers + ((<usize>i) << 2)))
    const scores = f32x4.mul(products, f32x4.mul(steps, f32x4.splat(scale)))
    const errors = f32x4.add(f32x4.mul(bounds, f32x4.splat(spread)), f32x4.splat(slack))
    const high = bins(f32x4.add(scores, errors), lowest, perBin)
    const low = bins(f32x4.sub(scores, errors), lowest, perBin)
    v128.store64_lane(keys + ((<usize>i) << 1), i16x8.narrow_i32x4_s(high, high), 0)
    tally(histogram, i32x4.extract_lane(low, 0))
    if (i + 1 < count) tally(histogram, i32x4.extract_lane(low, 1))
    if (i + 2 < count) tally(histogram, i32x4.extract_lane(low, 2))
    if (i + 3 < count) tally(histogram, i32x4.extract_lane(low, 3))
  }
}

function bins(scores: v128, lowest: f32, perBin: f32): v128 {
  const places = f32x4.mul(f32x4.sub(scores, f32x4.splat(lowest)), f32x4.splat(perBin))
  const whole = i32x4.trunc_sat_f32x4_s(places)
  return i32x4.min_s(i32x4.splat(4095), i32x4.max_s(i32x4.splat(0), whole))
}

function tally(histogram: usize, key: i32): void {
  const bin = histogram + ((<usize>key) << 2)
  store<u32>(bin, load<u32>(bin) + 1)
}

export function blend(table: usize, list: usize, count: i32, width: i32, weights: usize, out: usize): void {
  for (let j = 0; j < width; j += 16) {
    const at = out + ((<usize>j) << 3)
    let s0 = v128.load(at)
    let s1 = v128.load(at, 16)
    let s2 = v128.load(at, 32)
    let s3 = v128.load(at, 48)
    let s4 = v128.load(at, 64)
    let s5 = v128.load(at, 80)
    let s6 = v128.load(at, 96)
    let s7 = v128.load(at, 112)
    for (let i = 0; i < count; i++) {
      const weight = f64x2.splat(<f64>load<f32>(weights + ((<usize>i) << 2)))
      const numbers = v128.load(rowOf(table, 0, rowAt(list, 0, i), <usize>width) + <usize>j)
      const low = i16x8.extend_low_i8x16_s(numbers)
      const high = i16x8.extend_high_i8x16_s(numbers)
      const a = i32x4.extend_low_i16x8_s(low)
      const b = i32x4.extend_high_i16x8_s(low)
      const c = i32x4.extend_low_i16x8_s(high)
      const d = i32x4.extend_high_i16x8_s(high)
      s0 = f64x2.add(s0, f64x2.mul(weight, f64x2.convert_low_i32x4_s(a)))
      s1 = f64x2.add(s1, f64x2.mul(weight, f64x2.convert_low_i32x4_s(v128.shuffle<i64>(a, a, 1, 1))))
      s2 = f64x2.add(s2, f64x2.mul(weight, f64x2.convert_low_i32x4_s(b)))
      s3 = f64x2.add(s3, f64x2.mul(weight, f64x2.convert_low_i32x4_s(v128.shuffle<i64>(b, b, 1, 1))))
      s4 = f64x2.add(s4, f64x2.mul(weight, f64x2.convert_low_i32x4_s(c)))
      s5 = f64x2.add(s5, f64x2.mul(weight, f64x2.convert_low_i32x4_s(v128.shuffle<i64>(c, c, 1, 1))))
      s6 = f64x2.add(s6, f64x2.mul(weight, f64x2.convert_low_i32x4_s(d)))
      s7 = f64x2.add(s7, f64x2.mul(weight, f64x2.convert_low_i32x4_s(v128.shuffle<i64>(d, d, 1, 1))))
    }
    v128.store(at, s0)
    v128.store(at, s1, 16)
    v128.store(at, s2, 32)
    v128.store(at, s3, 48)
    v128.store(at, s4, 64)
    v128.store(at, s5, 80)
    v128.store(at, s6, 96)
    v128.store(at, s7, 112)
  }
}

export function sums(table: usize, list: usize, first: u32, count: i32, stride: i32, out: usize): void {
  const width = <usize>stride + 8
  const partial = out + ((<usize>stride) << 3)
  for (let j = 0; j < stride; j += 4) v128.store(partial + ((<usize>j) << 2), i32x4.splat(0))
  // A row adds up to 127 times 16,530 steps: 512 of them stay in 32 bits. Whole numbers throughout, so any order is exact.
  for (let from = 0; from < count; from += 512) {
    const to = min<i32>(from + 512, count)
    for (let i = from; i < to; i += 2) {
      const a = rowOf(table, 0, rowAt(list, first, i), width)
      const isPair = i + 1 < to
      const b = isPair ? rowOf(table, 0, rowAt(list, first, i + 1), width) : a
      addPair(a, b, stepsOf(a, stride) | (isPair ? stepsOf(b, stride) << 16 : 0), stride, partial)
    }
    for (let j = 0; j < stride; j += 4) {
      const at = out + ((<usize>j) << 3)
      const sum = v128.load(partial + ((<usize>j) << 2))
      const upper = i64x2.splat(i64x2.extract_lane(sum, 1))
      v128.store(at, f64x2.add(v128.load(at), f64x2.convert_low_i32x4_s(sum)))
      v128.store(at, f64x2.add(v128.load(at, 16), f64x2.convert_low_i32x4_s(upper)), 16)
      v128.store(partial + ((<usize>j) << 2), i32x4.splat(0))
    }
  }
}

function stepsOf(coded: usize, stride: i32): i32 {
  return <i32>(load<f32>(coded + <usize>stride) * 2097152.0)
}

/** Adds two rows times their steps, which are the halves of `steps`. */
function addPair(a: usize, b: usize, steps: i32, stride: i32, out: usize): void {
  const both = i32x4.splat(steps)
  for (let j = 0; j < stride; j += 8) {
    const codesA = v128.load8x8_s(a + <usize>j)
    const codesB = v128.load8x8_s(b + <usize>j)
    const low = v128.shuffle<i16>(codesA, codesB, 0, 8, 1, 9, 2, 10, 3, 11)
    const high = v128.shuffle<i16>(codesA, codesB, 4, 12, 5, 13, 6, 14, 7, 15)
    const at = out + ((<usize>j) << 2)
    v128.store(at, i32x4.add(v128.load(at), i32x4.dot_i16x8_s(low, both)))
    v128.store(at, i32x4.add(v128.load(at, 16), i32x4.dot_i16x8_s(high, both)), 16)
  }
}

// ---- picking

export function collect(keys: usize, list: usize, first: u32, count: i32, low: i32, high: i32, out: usize): i32 {
  const threshold = i16x8.splat(<i16>low)
  let found = 0
  let i = 0
  while (i < count) {
    // Most keys lie below: eight at a time are passed over.
    if (i + 8 <= count && !v128.any_true(i16x8.ge_u(v128.load(keys + ((<usize>i) << 1)), threshold))) {
      i += 8
      continue
    }
    const end = min<i32>(i + 8, count)
    for (; i < end; i++) {
      const key = <i32>load<u16>(keys + ((<usize>i) << 1))
      if (key < low || key >= high) continue
      store<u32>(out + ((<usize>found) << 2), rowAt(list, first, i))
      found++
    }
  }
  return found
}
