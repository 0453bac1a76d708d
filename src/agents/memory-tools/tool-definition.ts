import type { z } from 'zod'
import type { MemoryView, Plan } from '../../engine/index.ts'
import type { JsonObject } from '../../model/index.ts'

/** How a call reaches the memory: bound to the scope that the tools were made for. */
export interface ToolCall {
  readonly view: MemoryView
  readonly actor: string | undefined
  readonly signal: AbortSignal | undefined
}

/** What a reading tool answers. */
export interface ToolAnswer {
  readonly sentence: string
  readonly items: readonly JsonObject[]
}

interface Definition<Input extends z.ZodObject> {
  readonly name: string
  readonly description: string
  /** Checks the arguments, and is what the model is shown of them: each field with a description. */
  input(): Input
}

/** A tool that only reads. */
export interface ReadingTool<Input extends z.ZodObject = z.ZodObject> extends Definition<Input> {
  read(call: ToolCall, args: z.infer<Input>): Promise<ToolAnswer>
}

/** A tool that writes: it says what it would do, and the plan is carried out when nobody objects. */
export interface WritingTool<Input extends z.ZodObject = z.ZodObject> extends Definition<Input> {
  /** Whether it may change what is there. */
  readonly destructive: boolean
  plan(call: ToolCall, args: z.infer<Input>): Promise<Plan>
  /** Of a plan that was carried out. */
  readonly done: string
}

/** Keeps the types of the arguments while the tools stand in one list. */
export function readingTool<Input extends z.ZodObject>(tool: ReadingTool<Input>): ReadingTool {
  return tool as unknown as ReadingTool
}

export function writingTool<Input extends z.ZodObject>(tool: WritingTool<Input>): WritingTool {
  return tool as unknown as WritingTool
}
