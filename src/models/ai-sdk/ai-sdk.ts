import type { GeneratedText, GenerateRequest, LanguageModel } from '../../contract/index.ts'
import { type MnemeError, ModelError, SetupError } from '../../errors/index.ts'
import { parseRetryAfter } from '../../http/index.ts'
import type { JsonObject } from '../../model/index.ts'
import { withSchemaInWords } from '../schema-in-words.ts'

interface TextPart {
  type: 'text'
  text: string
}

/** What is asked of a model of the AI SDK. */
export interface AiSdkCall {
  prompt: (
    | { role: 'system'; content: string }
    | { role: 'user'; content: TextPart[] }
    | { role: 'assistant'; content: TextPart[] }
  )[]
  maxOutputTokens?: number
  temperature?: number
  responseFormat?: { type: 'json'; schema: object; name: string }
  abortSignal?: AbortSignal
}

/**
 * A model of the AI SDK (the package `ai`, from version 5 on): its interface `LanguageModelV2` or later, as far as it is used.
 * Any provider's model is one: `openai('gpt-5-mini')`, `anthropic(…)`, `ollama(…)`.
 */
export interface AiSdkModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(options: AiSdkCall): PromiseLike<{
    readonly content: readonly { readonly type: string }[]
    readonly finishReason: unknown
    readonly usage: { readonly inputTokens?: unknown; readonly outputTokens?: unknown }
    readonly warnings?: readonly object[]
  }>
}

/**
 * A model of the AI SDK as one for mneme (MOD-20). Nothing of the AI SDK is imported: the model is called as it is. It asks once: the
 * engine limits the time and tries again. A provider that says that it can't hold the model to a schema gets the schema in
 * words from then on.
 *
 * @example
 * const memory = await openMemory({ path, model: aiSdk(openai('gpt-5-mini')) })
 * @throws SetupError BAD_CONFIG for what is no such model; from `generate` when the provider refuses the request
 * @throws ModelError from `generate`: MODEL_UNAVAILABLE, MODEL_BAD_OUTPUT
 */
export function aiSdk(model: AiSdkModel): LanguageModel {
  refuseOther(model)
  const id = `ai-sdk:${model.provider}:${model.modelId}`
  let takesSchemas = true
  return {
    id,
    async generate(request) {
      request.signal?.throwIfAborted()
      let answer: Awaited<ReturnType<AiSdkModel['doGenerate']>>
      try {
        answer = await model.doGenerate(callOf(request, takesSchemas))
      } catch (error) {
        request.signal?.throwIfAborted()
        throw failureOf(id, error)
      }
      takesSchemas &&= !(answer?.warnings ?? []).some(isAboutSchemas)
      return generatedFrom(id, answer)
    },
  }
}

function refuseOther(model: unknown): void {
  const { specificationVersion, provider, modelId, doGenerate } = (model ?? {}) as Partial<AiSdkModel>
  const isNamed = typeof provider === 'string' && typeof modelId === 'string'
  const version = Number(/^v(\d+)$/.exec(String(specificationVersion))?.[1])
  if (isNamed && typeof doGenerate === 'function' && version >= 2) return
  throw new SetupError({
    code: 'BAD_CONFIG',
    message:
      "aiSdk() takes a language model of the AI SDK, version 5 or later, such as openai('gpt-5-mini') of the package " +
      '@ai-sdk/openai: an object with specificationVersion v2 or later and doGenerate. A name alone is none.',
  })
}

function callOf(
  { system, messages, schema, maxTokens, temperature, signal }: GenerateRequest,
  held: boolean,
): AiSdkCall {
  const instructions = schema === undefined || held ? system : withSchemaInWords(system, schema)
  return {
    prompt: [
      ...(instructions === undefined ? [] : [{ role: 'system' as const, content: instructions }]),
      ...messages.map(({ role, content }) => ({ role, content: [{ type: 'text' as const, text: content }] })),
    ],
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(schema === undefined ? {} : { responseFormat: { type: 'json' as const, schema, name: 'answer' } }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  }
}

function isAboutSchemas(warning: object): boolean {
  // `feature` since version 6, `setting` before.
  const { feature, setting } = warning as { readonly feature?: unknown; readonly setting?: unknown }
  return feature === 'responseFormat' || setting === 'responseFormat'
}

function generatedFrom(id: string, answer: unknown): GeneratedText {
  const { content, structuredOutputText, finishReason, usage } = (answer ?? {}) as JsonObject
  if (!Array.isArray(content)) {
    throw new ModelError({
      code: 'MODEL_BAD_OUTPUT',
      message: `The language model ${id} returned something unusable: it has no content. Check that its package fits the version of the AI SDK.`,
      details: { model: id },
    })
  }
  const parts = content as readonly Partial<TextPart>[]
  const said = parts.map((part) => (part?.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('')
  // Version 6 has { unified, raw }, version 5 the reason itself.
  const finish = (finishReason as JsonObject | undefined)?.unified ?? finishReason
  const inputTokens = totalOf((usage as JsonObject | undefined)?.inputTokens)
  const outputTokens = totalOf((usage as JsonObject | undefined)?.outputTokens)
  return {
    text: typeof structuredOutputText === 'string' ? structuredOutputText : said,
    finishReason: finish === 'stop' || finish === 'length' ? finish : 'other',
    ...(inputTokens === undefined || outputTokens === undefined ? {} : { usage: { inputTokens, outputTokens } }),
  }
}

/** Version 6 has { total, … }, version 5 the number itself. */
function totalOf(tokens: unknown): number | undefined {
  const total = (tokens as JsonObject | null | undefined)?.total ?? tokens
  return typeof total === 'number' ? total : undefined
}

/** Nothing but status, host and name is taken from an error of a provider: all else may quote the request. */
function failureOf(id: string, error: unknown): MnemeError {
  const { statusCode, isRetryable, responseHeaders } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly statusCode?: unknown
    readonly isRetryable?: unknown
    readonly responseHeaders?: Readonly<Record<string, string>>
  }
  const status = typeof statusCode === 'number' ? statusCode : undefined
  // A 2xx that the provider could not read.
  if (status !== undefined && status < 300)
    return new ModelError({
      code: 'MODEL_UNAVAILABLE',
      message: `The provider of ${id} could not read the answer to its end. Try again.`,
      details: { model: id, status, hasBegun: true },
    })
  if (status !== undefined && isRetryable !== true) {
    return new SetupError({
      code: 'BAD_CONFIG',
      message: `The provider of ${id} refused the request with HTTP ${status}. Check its key, the name of the model and that the request is not longer than it takes.`,
      details: { model: id, status },
    })
  }
  const retryAfterMs = parseRetryAfter(responseHeaders?.['retry-after'])
  const name = error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : 'unknown'
  return new ModelError({
    code: 'MODEL_UNAVAILABLE',
    message: `The provider of ${id} gave no answer: ${status === undefined ? name : `HTTP ${status}`}. Check that it is reachable, then try again.`,
    details: {
      model: id,
      name,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  })
}
