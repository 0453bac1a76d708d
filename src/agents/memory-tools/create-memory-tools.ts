import { z } from 'zod'
import type { MemoryEngine, PlanStep } from '../../engine/index.ts'
import { InputError, MnemeError } from '../../errors/index.ts'
import { type JsonObject, madeOnce, parseWith, type Scope } from '../../model/index.ts'
import type { ConfirmRequest, MemoryTool, MemoryToolOptions, MemoryToolResult } from './memory-tool.ts'
import { findSkill, recall, stats, summary } from './reading-tools.ts'
import type { ReadingTool, ToolCall, WritingTool } from './tool-definition.ts'
import { failure, failureOf } from './tool-failure.ts'
import { answerText, changeItems } from './tool-text.ts'
import { consolidate, correct, forget, forgetMany, learnSkill, remember } from './writing-tools.ts'

const tools: readonly (ReadingTool | WritingTool)[] = [
  remember,
  recall,
  correct,
  forget,
  forgetMany,
  summary,
  stats,
  consolidate,
  learnSkill,
  findSkill,
]

const optionsSchema = madeOnce(() =>
  z.strictObject({
    confirm: z
      .custom<MemoryToolOptions['confirm']>((value) => typeof value === 'function', 'must be a function')
      .optional(),
    actor: z.string().min(1).max(1024).optional(),
    onError: z
      .custom<MemoryToolOptions['onError']>((value) => typeof value === 'function', 'must be a function')
      .optional(),
  }),
)

/** What a model is shown of the arguments, made from what checks them (TOL-1). */
function parametersOf(input: z.ZodObject): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return schema as unknown as JsonObject
}

/** Arguments as an object: models write them as text, and nothing at all where there are none. */
function argumentsOf(name: string, args: unknown): unknown {
  if (typeof args !== 'string') return args ?? {}
  if (args.trim() === '') return {}
  try {
    return JSON.parse(args)
  } catch (cause) {
    throw new InputError({ code: 'INVALID_ARGUMENT', message: `${name}: the arguments are no JSON.`, cause })
  }
}

/** Whether something that is there would be changed or removed. What contradicts it waits beside it. */
function changes({ op, before }: PlanStep): boolean {
  return op !== 'noop' && op !== 'conflict' && (before !== undefined || op === 'unlink')
}

const waiting =
  'This contradicts what is remembered. It was put aside until a person decides; what is remembered stays as it is.'

function told(sentence: string, items: readonly JsonObject[]): MemoryToolResult {
  return { ok: true, text: answerText(sentence, items), items }
}

async function write(
  tool: WritingTool,
  call: ToolCall,
  args: JsonObject,
  confirm: MemoryToolOptions['confirm'],
): Promise<MemoryToolResult> {
  const plan = await tool.plan(call, args)
  const { items, more } = changeItems(plan.steps)
  if (plan.steps.every(({ op }) => op === 'noop')) return told(`There was nothing to change.${more}`, items)
  const many = plan.steps.filter(changes).length
  if (many > 0) {
    const what = `${many} stored ${many === 1 ? 'memory' : 'memories'}`
    if (!confirm) {
      return failure(
        'CONFIRMATION_REQUIRED',
        `This would change or remove ${what}, and nobody can be asked here. Nothing was changed. Say so; do not try again.`,
      )
    }
    // A copy: what is carried out is what was planned, whatever becomes of it there.
    const request: ConfirmRequest = structuredClone({ tool: tool.name, args, plan })
    if ((await confirm(request)) !== true) {
      return failure('DECLINED', `Changing or removing ${what} was not allowed. Nothing was changed. Do not try again.`)
    }
  }
  const { signal, actor } = call
  const why = typeof args.reason === 'string' ? { reason: args.reason } : {}
  await call.view.apply(plan, { signal, actor, ...why })
  const done = plan.steps.some(({ op }) => op === 'conflict') ? waiting : tool.done
  return told(`${done} What was done, as data:${more}`, items)
}

function bind(
  tool: ReadingTool | WritingTool,
  view: ToolCall['view'],
  { confirm, actor, onError }: MemoryToolOptions,
): MemoryTool {
  const { name, description } = tool
  const input = tool.input()
  const isReading = 'read' in tool
  return {
    name,
    description,
    parameters: parametersOf(input),
    readOnly: isReading,
    destructive: !isReading && tool.destructive,
    async execute(given, options) {
      const signal = options?.signal
      signal?.throwIfAborted()
      const call = { view, actor, signal }
      try {
        const args = parseWith(input, argumentsOf(name, given), name) as JsonObject
        if (!isReading) return await write(tool, call, args, confirm)
        const { sentence, items } = await tool.read(call, args)
        return told(sentence, items)
      } catch (error) {
        signal?.throwIfAborted()
        if (!MnemeError.is(error)) onError?.(error, name)
        return failureOf(error)
      }
    },
  }
}

/**
 * Memory as tools that a language model may call: `remember`, `recall`, `correct`, `forget`, `forget_many`, `summary`,
 * `stats`, `consolidate`, `learn_skill`, `find_skill`. They read and write in `scope` alone, whatever the model says (TOL-2). Before something
 * that is there is changed or removed, `confirm` is shown exactly what would be done; without it that is refused (TOL-3).
 * @throws InputError INVALID_SCOPE, INVALID_ARGUMENT, UNKNOWN_FIELD
 */
export function createMemoryTools(
  engine: Pick<MemoryEngine, 'scoped'>,
  scope: Scope,
  options: MemoryToolOptions = {},
): readonly MemoryTool[] {
  const checked = parseWith(optionsSchema(), options, 'createMemoryTools')
  const view = engine.scoped(scope)
  return tools.map((tool) => bind(tool, view, checked))
}
