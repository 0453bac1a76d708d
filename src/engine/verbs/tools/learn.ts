import { z } from 'zod'
import { parseTool, type Tool, toolKind } from '../../../kinds/index.ts'
import type { ToolLearnResult } from '../../api/tools.ts'
import { keyField } from '../../keyed.ts'
import { writeOptions } from '../../verb.ts'
import { type Answered, defineWrite } from '../../write-verb.ts'
import { answerLearnt, planLearn, planRollback } from '../named/learn-version.ts'

function answerTool(answered: Answered): ToolLearnResult {
  const { item, ...rest } = answerLearnt<Tool>(toolKind, answered)
  return { ...rest, tool: item }
}

export const toolsLearn = defineWrite({
  name: 'tools.learn',
  summary: 'Learn what a tool does and takes; another tool of the same name is its next version.',
  positional: ['tool'],
  input: () => z.strictObject({ tool: z.unknown(), ...writeOptions }),
  example: 'mneme tools learn \'{"name": "kettle", "description": "Heats water"}\' --user ann',
  plan: (call, input, scope) => planLearn(call, toolKind, parseTool(input.tool), scope, input.signal),
  answer: answerTool,
})

export const toolsRollback = defineWrite({
  name: 'tools.rollback',
  summary: 'Make an earlier version of a tool the newest one.',
  positional: ['name', 'version'],
  input: () => z.strictObject({ name: keyField(), version: z.int().min(1), ...writeOptions }),
  example: 'mneme tools rollback kettle 1 --user ann',
  plan: (call, input, scope) => planRollback(call, toolKind, input, scope),
  answer: answerTool,
})
