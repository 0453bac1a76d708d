import type { Kernel } from './kernel.ts'
import { KernelMemory } from './kernel-memory.ts'
import { wasmBase64 } from './wasm-bytes.ts'

// Only what is used: the types of Node have no WebAssembly.
interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: Omit<Kernel, 'kind' | 'memory'> }
  readonly Memory: new (limits: { readonly initial: number }) => WasmMemory
}

const pageBytes = 65_536

let compiled: object | null | undefined

/** A kernel with a memory of its own; null where WASM SIMD is missing. */
export function wasmKernel(): Kernel | null {
  const wasm = (globalThis as { readonly WebAssembly?: Wasm }).WebAssembly
  if (wasm === undefined || compiled === null) return null
  try {
    compiled ??= new wasm.Module(Buffer.from(wasmBase64, 'base64'))
    const memory = new wasm.Memory({ initial: 1 })
    const { exports } = new wasm.Instance(compiled, { env: { memory } })
    return { ...exports, kind: 'wasm', memory: new KernelMemory((bytes) => grown(memory, bytes)) }
  } catch {
    // No SIMD, no executable memory, or no address space: the plain kernel gives the same results.
    compiled ??= null
    return null
  }
}

function grown(memory: WasmMemory, bytes: number): ArrayBuffer {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / pageBytes)
  if (missing > 0) memory.grow(missing)
  return memory.buffer
}
