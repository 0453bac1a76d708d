export { cosine } from './cosine.ts'
export { dot } from './dot.ts'
export { normalise } from './normalise.ts'
export { vectorFault } from './vector-fault.ts'
