import type { Kernel, KernelKind } from './kernel.ts'
import { plainKernel } from './plain-kernel.ts'
import { wasmKernel } from './wasm-kernel.ts'

/**
 * A kernel with an empty memory of its own.
 * @param kind `wasm` falls back to `plain` where it can't run. @default 'wasm'
 */
export function createKernel(kind: KernelKind = 'wasm'): Kernel {
  return (kind === 'wasm' ? wasmKernel() : null) ?? plainKernel()
}
