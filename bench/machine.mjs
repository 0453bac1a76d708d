import { availableParallelism, cpus, release, totalmem, type } from 'node:os'

/** The machine without names and paths. */
export const machine = () => ({
  cores: availableParallelism(),
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()} ${process.arch}`,
  node: process.version,
})

export const describeMachine = ({ cores, processor, memoryGiB, system, node }) =>
  `${cores} cores (${processor}), ${memoryGiB} GiB of memory, ${system}, Node ${node}`
