export {
  type AssembledContext,
  assembleContext,
  type ContextCandidate,
  type ContextRequest,
} from './assemble-context.ts'
export { type Compressed, type CompressOptions, compress, counterField } from './compress.ts'
export { eventText, validityText } from './date-text.ts'
export { type ParsedContext, parseContext } from './parse-context.ts'
export { type ContextItem, type RenderOptions, renderContext } from './render-context.ts'
