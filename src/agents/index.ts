/** What agents are handed: a view of their own, the memory of a run, memory as tools for a language model. */

export {
  type AgentEntry,
  type AgentMemory,
  type AgentMemoryOptions,
  type AgentProcedure,
  type AgentReadOptions,
  agentMemory,
  type RecordOptions,
  type RememberOptions,
  type RememberResult,
} from './agent-memory.ts'
export { type MemoryContext, type MemoryRun, memoryContext } from './memory-context.ts'
export { createMemoryTools } from './memory-tools/create-memory-tools.ts'
export type {
  ConfirmRequest,
  MemoryTool,
  MemoryToolCode,
  MemoryToolOptions,
  MemoryToolResult,
} from './memory-tools/memory-tool.ts'
