/** One linear memory, seen as numbers of several widths. Growing it replaces the views: read them anew after anything that may grow it. */
export class KernelMemory {
  readonly #grow: (bytes: number) => ArrayBuffer
  u8!: Uint8Array
  i8!: Int8Array
  u16!: Uint16Array
  i16!: Int16Array
  u32!: Uint32Array
  i32!: Int32Array
  f32!: Float32Array
  f64!: Float64Array

  /** @param grow makes the memory at least so many bytes long, keeps what is in it, and answers its buffer */
  constructor(grow: (bytes: number) => ArrayBuffer) {
    this.#grow = grow
    this.grow(0)
  }

  get byteLength(): number {
    return this.u8.length
  }

  grow(bytes: number): void {
    const buffer = this.#grow(bytes)
    this.u8 = new Uint8Array(buffer)
    this.i8 = new Int8Array(buffer)
    this.u16 = new Uint16Array(buffer)
    this.i16 = new Int16Array(buffer)
    this.u32 = new Uint32Array(buffer)
    this.i32 = new Int32Array(buffer)
    this.f32 = new Float32Array(buffer)
    this.f64 = new Float64Array(buffer)
  }
}
