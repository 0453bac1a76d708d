import { setTimeout as pause } from 'node:timers/promises'
import type { GeneratedText, GenerateRequest, LanguageModel } from '../../contract/index.ts'
import { ModelError } from '../../errors/index.ts'
import type { JsonObject, JsonValue } from '../../model/index.ts'

/**
 * What a scripted model answers: a text; JSON, as its text; an error, thrown; `{ delayMs, answer }`, later; `{ generated }`,
 * with usage and how it ended; or a function that answers one of these from the request.
 */
export type ScriptedAnswer =
  | string
  | Error
  | { readonly delayMs: number; readonly answer: ScriptedAnswer }
  | { readonly generated: GeneratedText }
  | readonly JsonValue[]
  | JsonObject
  | ((request: GenerateRequest) => ScriptedAnswer | Promise<ScriptedAnswer>)

export interface ScriptedOptions {
  /** @default 'scripted' */
  readonly id?: string | undefined
}

export interface ScriptedModel extends LanguageModel {
  /** What it was asked, in order. */
  readonly requests: readonly GenerateRequest[]
}

/**
 * A model that answers what it was told to, for tests: one answer a call, in order. Beyond the last one it fails; a script that
 * is a single function answers every call (MOD-7).
 *
 * @example
 * const model = scripted(['{ "facts": []', { facts: [] }])
 */
export function scripted(
  script: readonly ScriptedAnswer[] | ((request: GenerateRequest) => ScriptedAnswer | Promise<ScriptedAnswer>),
  { id = 'scripted' }: ScriptedOptions = {},
): ScriptedModel {
  const requests: GenerateRequest[] = []
  return {
    id,
    requests,
    async generate(request) {
      request.signal?.throwIfAborted()
      const { signal: _, ...asked } = request
      requests.push(structuredClone(asked))
      if (typeof script === 'function') return give(script, request)
      const answer = script[requests.length - 1]
      if (answer !== undefined) return give(answer, request)
      throw new ModelError({
        code: 'MODEL_BAD_OUTPUT',
        message: `The script of ${id} has ${script.length} answer(s), and was asked for one more. Add an answer.`,
        details: { model: id, answers: script.length },
      })
    },
  }
}

async function give(answer: ScriptedAnswer, request: GenerateRequest): Promise<GeneratedText> {
  if (typeof answer === 'string') return { text: answer, finishReason: 'stop' }
  if (typeof answer === 'function') return give(await answer(request), request)
  if (answer instanceof Error) throw answer
  if (isGenerated(answer)) return answer.generated
  if (isDelayed(answer)) {
    // The pause throws an error of its own; the caller gets the reason.
    await pause(answer.delayMs, undefined, request.signal ? { signal: request.signal } : {}).catch((error: unknown) => {
      request.signal?.throwIfAborted()
      throw error
    })
    return give(answer.answer, request)
  }
  return { text: JSON.stringify(answer), finishReason: 'stop' }
}

function isGenerated(answer: object): answer is { readonly generated: GeneratedText } {
  return 'generated' in answer && Object.keys(answer).length === 1
}

function isDelayed(answer: object): answer is { readonly delayMs: number; readonly answer: ScriptedAnswer } {
  return 'delayMs' in answer && 'answer' in answer
}
