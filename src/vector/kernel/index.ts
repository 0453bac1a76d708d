export { createKernel } from './create-kernel.ts'
export { blockRows, type Kernel, type KernelKind, scoreBins, stepsPerOne, strideUnit, traitBytes } from './kernel.ts'
export { KernelMemory } from './kernel-memory.ts'
