import type { z } from 'zod'
import type { GeneratedText, ModelMessage } from '../contract/index.ts'
import { MnemeError, ModelError } from '../errors/index.ts'
import { quoteAnswer, readJsonAnswer, withoutThoughts } from '../learning/index.ts'
import type { Scope } from '../model/index.ts'
import type { Degradation } from './api/searching.ts'
import type { Core } from './core.ts'
import { generate } from './language-model/generate.ts'
import { jsonSchemaOf } from './language-model/json-schema.ts'
import { createMeter, type ModelUsage, withinCall } from './language-model/meter.ts'

/** Tokens of an answer when the task names no other number. */
const defaultMaxTokens = 4_096
/** What of an unusable answer is shown to the model again: of one that was cut off little, as it may have gone round in circles. */
const repeatedCharacters = { whole: 8_000, cutOff: 500 }
const namedComplaints = 10

export type { ModelUsage } from './language-model/meter.ts'

export interface ModelTask<T> {
  /** What it is for, as the prompt is called: `learn.extract`. */
  readonly name: string
  readonly system: string
  readonly messages: readonly ModelMessage[]
  /** The answer is JSON of this form. Refinements count: what they complain of is told to the model once. */
  readonly schema?: z.ZodType<T> | undefined
  /** Of the answer, at least 1. @default 4096 */
  readonly maxTokens?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export type ModelOutcome<T> =
  | { readonly ok: true; readonly value: T; readonly usage: ModelUsage; readonly isCutOff: boolean }
  | { readonly ok: false; readonly degraded: Degradation; readonly usage: ModelUsage }

/**
 * Asks the engine's model. With a schema the answer is read leniently, validated, and asked for once more with what was wrong;
 * without, the value is the text. Trouble of the model is an outcome, never thrown: `degraded` is for the answer of the verb
 * (MOD-5). Time-outs, retries and limits are seen to here, and nowhere else.
 * @throws the reason of an aborted signal; ClosedError ENGINE_CLOSED when the engine closes meanwhile
 */
export async function askModel<T = string>(core: Core, scope: Scope, task: ModelTask<T>): Promise<ModelOutcome<T>> {
  const { model, modelLimits: limits, closing } = core
  task.signal?.throwIfAborted()
  const meter = createMeter(core, scope)
  if (!model) return { ok: false, degraded: degradationOf(noModel()), usage: meter.usage() }
  const deadline = performance.now() + limits.totalTimeoutMs

  function ask(messages: readonly ModelMessage[]): Promise<GeneratedText> {
    const request = withinCall(limits, {
      system: task.system,
      messages,
      maxTokens: task.maxTokens ?? defaultMaxTokens,
      temperature: 0,
      ...(task.schema ? { schema: jsonSchemaOf(task.schema) } : {}),
    })
    const signals = [task.signal, closing]
    const charged = (run: Parameters<typeof meter.charged>[1]) => meter.charged(request, run)
    return generate({ model: model as NonNullable<typeof model>, limits, deadline, signals, charged }, request)
  }

  try {
    const first = await ask(task.messages)
    const read = readAnswer(first, task.schema)
    if (read.ok) return { ...read, usage: meter.usage() }
    const again = await ask([
      ...task.messages,
      { role: 'assistant', content: repeated(first) },
      { role: 'user', content: repairOf(core.prompts.repair.system, read.forModel, task.schema) },
    ])
    const repaired = readAnswer(again, task.schema)
    if (repaired.ok) return { ...repaired, usage: meter.usage() }
    return { ok: false, degraded: degradationOf(unusable(model.id, task.name, repaired.reason)), usage: meter.usage() }
  } catch (error) {
    task.signal?.throwIfAborted()
    closing.throwIfAborted()
    if (!MnemeError.is(error)) throw error
    return { ok: false, degraded: degradationOf(error), usage: meter.usage() }
  }
}

type Read<T> =
  | { readonly ok: true; readonly value: T; readonly isCutOff: boolean }
  /** What is wrong: content-free for people, and more of it for the model. */
  | { readonly ok: false; readonly reason: string; readonly forModel: string }

function readAnswer<T>({ text, finishReason }: GeneratedText, schema: z.ZodType<T> | undefined): Read<T> {
  const isCutOff = finishReason === 'length'
  if (!schema) {
    const said = withoutThoughts(text)
    if (said.trim() !== '') return { ok: true, value: said as T, isCutOff }
    return { ok: false, reason: isCutOff ? 'it was cut off' : 'it is empty', forModel: 'There is no answer.' }
  }
  const answer = readJsonAnswer(text, (value) => schema.safeParse(value).success)
  if (!answer.ok) {
    const reason =
      isCutOff || answer.reason === 'cut off' ? 'it was cut off: shorter would fit' : reasons[answer.reason]
    return { ok: false, reason, forModel: `As an answer, ${reason}.` }
  }
  const checked = schema.safeParse(answer.value)
  if (checked.success) return { ok: true, value: checked.data, isCutOff }
  const { issues } = checked.error
  // Names of fields are the model's own words.
  const complaints = issues
    .slice(0, namedComplaints)
    .map(({ path, message }) => quoteAnswer(`- ${path.join('.') || 'the value'}: ${message}`.replaceAll(/\s+/g, ' ')))
  return {
    ok: false,
    reason: `it does not follow the schema${placesOf(issues)}`,
    forModel: complaints.join('\n'),
  }
}

/** Where an answer went wrong: names of the schema and numbers, never what the model said. */
function placesOf(issues: readonly z.core.$ZodIssue[]): string {
  const [first, ...rest] = [...new Set(issues.map(({ path }) => path.join('.')))]
  if (!first) return ''
  return ` at ${first}${rest.length === 0 ? '' : ` and in ${rest.length} more ${rest.length === 1 ? 'place' : 'places'}`}`
}

function repeated({ text, finishReason }: GeneratedText): string {
  const most = finishReason === 'length' ? repeatedCharacters.cutOff : repeatedCharacters.whole
  return quoteAnswer(text.slice(0, most)).trim().slice(0, most) || '(nothing)'
}

/** With the schema: a server may pass over it, and the prompt may not say all of it. */
function repairOf(instructions: string, wrong: string, schema: z.ZodType | undefined): string {
  const form =
    schema === undefined
      ? ''
      : `\nThe answer is one JSON value that follows this JSON Schema:\n${JSON.stringify(jsonSchemaOf(schema))}`
  return `${instructions}\n${wrong}${form}`
}

const reasons = {
  empty: 'it is empty',
  'too long': 'it is longer than a million characters',
  'no JSON': 'it is not JSON',
  'cut off': 'it was cut off',
  'too deep': 'it is nested deeper than 100 levels',
  several: 'it holds several answers that differ',
} as const

function noModel(): ModelError {
  return new ModelError({
    code: 'MODEL_UNAVAILABLE',
    message: 'This memory has no language model. Give openMemory one with the option model.',
  })
}

function unusable(id: string, task: string, reason: string): ModelError {
  return new ModelError({
    code: 'MODEL_BAD_OUTPUT',
    message: `The language model ${id} answered ${task} with something unusable, twice: ${reason}. A larger model or a smaller task may help.`,
    details: { model: id, task },
  })
}

function degradationOf({ code, message }: MnemeError): Degradation {
  return { stage: 'model', code, message }
}
