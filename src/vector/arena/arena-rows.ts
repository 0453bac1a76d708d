import { InputError } from '../../errors/index.ts'
import { blockRows, type Kernel, strideUnit, traitBytes } from '../kernel/index.ts'
import { Areas } from './areas.ts'
import { Blocks } from './blocks.ts'
import { FloatRows } from './float-rows.ts'
import { requireUnit } from './unit-vector.ts'

/** Vectors by row number: codes and sign bits of all of them, float32 numbers of some. */
export class ArenaRows {
  readonly kernel: Kernel
  readonly dimensions: number
  readonly stride: number
  readonly areas: Areas
  readonly blocks: Blocks
  readonly floats: FloatRows
  /** Bytes of a coded row. */
  readonly width: number
  /** Where sign bits start in a block. */
  readonly bitsColumn: number
  /** Row numbers in use or once in use are below this. */
  count = 0
  /** By row: 1 when in use. */
  live = new Uint8Array(0)
  size = 0
  /** What sign bits are relative to; null before it is known. */
  mean: Float32Array | null = null
  /** Blocks that changed since they were saved last. */
  readonly changed = new Set<number>()
  readonly #staged: number
  readonly #stagedCodes: number
  readonly #mean: number
  #free: number[] = []
  #readers = 0
  #freedMeanwhile: number[] = []

  constructor(kernel: Kernel, dimensions: number, floatRows: number) {
    this.kernel = kernel
    this.dimensions = dimensions
    this.stride = Math.ceil(dimensions / strideUnit) * strideUnit
    const { stride } = this
    this.width = stride + traitBytes
    this.bitsColumn = blockRows * this.width
    this.areas = new Areas(kernel.memory)
    this.blocks = new Blocks(kernel.memory, this.areas, this.width + stride / 8)
    this.floats = new FloatRows(kernel.memory, this.areas, stride, floatRows)
    this.#staged = this.areas.take(4 * stride)
    this.#stagedCodes = this.areas.take(this.width)
    this.#mean = this.areas.take(4 * stride)
  }

  append(unit: Float32Array): number {
    requireUnit(unit, this.dimensions)
    const row = this.#take()
    this.#write(row, unit)
    return row
  }

  appendCodes(codes: Uint8Array, unit: Float32Array | null): number {
    const row = this.#take()
    this.kernel.memory.u8.set(codes, this.coded(row))
    if (unit !== null) this.floats.keep(row, unit)
    this.#sign(row, 1)
    this.changed.add(Math.floor(row / blockRows))
    return row
  }

  appendAllCodes(codes: Uint8Array): number {
    const first = this.count
    const rows = codes.length / this.width
    this.#addRows(rows)
    this.live.fill(1, first, this.count)
    this.size += rows
    // Rows of a block lie side by side.
    for (let row = first; row < this.count; ) {
      const count = Math.min(this.count, (Math.floor(row / blockRows) + 1) * blockRows) - row
      const from = (row - first) * this.width
      this.kernel.memory.u8.set(codes.subarray(from, from + count * this.width), this.coded(row))
      this.#sign(row, count)
      this.changed.add(Math.floor(row / blockRows))
      row += count
    }
    return first
  }

  /** In place. */
  codes(row: number): Uint8Array {
    this.requireLive(row)
    return this.kernel.memory.u8.subarray(this.coded(row), this.coded(row) + this.width)
  }

  holds(row: number, unit: Float32Array): boolean {
    if (unit.length !== this.dimensions) return false
    this.#stage(unit)
    this.kernel.quantise(this.#staged, 1, this.stride, this.#stagedCodes)
    const staged = this.kernel.memory.u8.subarray(this.#stagedCodes, this.#stagedCodes + this.width)
    return Buffer.compare(staged, this.codes(row)) === 0
  }

  set(row: number, unit: Float32Array): void {
    this.requireLive(row)
    requireUnit(unit, this.dimensions)
    this.#write(row, unit)
  }

  free(row: number): void {
    this.requireLive(row)
    const { u8 } = this.kernel.memory
    const coded = this.coded(row)
    u8.fill(0, coded, coded + this.width)
    const bits = this.bits(row)
    u8.fill(0, bits, bits + this.stride / 8)
    this.floats.drop(row)
    this.live[row] = 0
    this.size--
    this.changed.add(Math.floor(row / blockRows))
    // A search under way must not take another vector for the one it has rated.
    if (this.#readers > 0) this.#freedMeanwhile.push(row)
    else this.#free.push(row)
  }

  /** Keeps the numbers of rows that are freed meanwhile from being used again. */
  async reading<T>(run: () => Promise<T>): Promise<T> {
    this.#readers++
    try {
      return await run()
    } finally {
      this.#readers--
      if (this.#readers === 0) this.#free.push(...this.#freedMeanwhile.splice(0))
    }
  }

  coded(row: number): number {
    return this.blocks.address(row, 0, this.width)
  }

  bits(row: number): number {
    return this.blocks.address(row, this.bitsColumn, this.stride / 8)
  }

  /** Makes sign bits relative to a mean from now on; those of present rows are to be made anew with `sign`. */
  setMean(mean: Float32Array): void {
    this.mean = mean
    this.kernel.memory.f32.set(mean, this.#mean / 4)
  }

  /** Makes the sign bits of a block. */
  sign(block: number): void {
    const first = block * blockRows
    const count = Math.min(blockRows, this.count - first)
    this.#sign(first, count)
    this.changed.add(block)
  }

  requireLive(row: number): void {
    if (this.live[row] === 1) return
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `row: ${row} is not in use. Pass rows that append answered and that were not freed.`,
      details: { row, rows: this.count },
    })
  }

  /** Makes room for rows below `count`, to be filled by the caller; those that it leaves out of use are free for others. */
  restore(count: number): void {
    this.count = count
    this.blocks.reserve(count)
    this.live = new Uint8Array(count)
    this.floats.follow(count)
  }

  /** Takes note of which rows were filled. */
  restored(): void {
    for (let row = this.count - 1; row >= 0; row--) {
      if (this.live[row] === 1) this.size++
      else this.#free.push(row)
    }
  }

  #take(): number {
    const row = this.#free.pop() ?? this.#newRow()
    this.live[row] = 1
    this.size++
    return row
  }

  #newRow(): number {
    this.#addRows(1)
    return this.count - 1
  }

  #addRows(rows: number): void {
    this.blocks.reserve(this.count + rows)
    this.count += rows
    if (this.count > this.live.length) {
      const larger = new Uint8Array(Math.max(64, this.count, 2 * this.live.length))
      larger.set(this.live)
      this.live = larger
    }
    this.floats.follow(this.count)
  }

  #write(row: number, unit: Float32Array): void {
    this.floats.keep(row, unit)
    this.#stage(unit)
    this.kernel.quantise(this.#staged, 1, this.stride, this.coded(row))
    this.#sign(row, 1)
    this.changed.add(Math.floor(row / blockRows))
  }

  #stage(unit: Float32Array): void {
    const { f32 } = this.kernel.memory
    const at = this.#staged / 4
    f32.set(unit, at)
    f32.fill(0, at + unit.length, at + this.stride)
  }

  #sign(first: number, count: number): void {
    if (this.mean === null || count <= 0) return
    this.kernel.signs(this.coded(first), count, this.stride, this.#mean, this.bits(first))
  }
}
