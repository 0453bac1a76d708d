import { BackendError } from '../../errors/index.ts'
import type { KernelMemory } from '../kernel/index.ts'

const alignment = 64
// Addresses are 32 bits, and a page stays free at the end.
const mostBytes = 2 ** 32 - 65_536
const growth = 1.25

/** Hands out areas of a memory, and takes them back for others. What is in an area at first is anything. */
export class Areas {
  readonly #memory: KernelMemory
  // Address 0 stands for "none".
  #end = alignment
  #free: { address: number; bytes: number }[] = []

  constructor(memory: KernelMemory) {
    this.#memory = memory
  }

  /** @throws BackendError BACKEND_FAILED when the memory can't grow any more. */
  take(bytes: number): number {
    const size = aligned(bytes)
    const place = this.#free.findIndex((area) => area.bytes >= size)
    if (place >= 0) {
      const area = this.#free[place]!
      const { address } = area
      area.address += size
      area.bytes -= size
      if (area.bytes === 0) this.#free.splice(place, 1)
      return address
    }
    const address = this.#end
    this.#grow(address + size)
    this.#end += size
    return address
  }

  release(address: number, bytes: number): void {
    this.#free.push({ address, bytes: aligned(bytes) })
  }

  #grow(bytes: number): void {
    const { byteLength } = this.#memory
    if (bytes <= byteLength) return
    try {
      if (bytes > mostBytes) throw new RangeError('past 32 bits')
      // Growing takes a millisecond; what was not written yet takes no memory.
      this.#memory.grow(Math.min(mostBytes, Math.max(bytes, byteLength * growth)))
    } catch (cause) {
      throw new BackendError({
        code: 'BACKEND_FAILED',
        message: `Vectors in memory can't take more than ${byteLength} bytes here. Split the store, use shorter vectors, or give the process more memory.`,
        details: { bytes },
        cause,
      })
    }
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment
}
