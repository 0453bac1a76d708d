/** What agents are handed: memory as tools for a language model. */
export { createMemoryTools } from './memory-tools/create-memory-tools.ts'
export type {
  ConfirmRequest,
  MemoryTool,
  MemoryToolCode,
  MemoryToolOptions,
  MemoryToolResult,
} from './memory-tools/memory-tool.ts'
