import type { JsonValue } from '../model/index.ts'
import type { OperationOptions } from './embedder.ts'

export interface ModelMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

export interface GenerateRequest extends OperationOptions {
  readonly system?: string | undefined
  readonly messages: readonly ModelMessage[]
  /** JSON Schema of the answer. A model that can't be held to one may pass over it: what comes back is validated anyway. */
  readonly schema?: { readonly [keyword: string]: JsonValue } | undefined
  /** Most tokens of the answer, at least 1. */
  readonly maxTokens?: number | undefined
  /** 0 or more; 0 is as repeatable as the model can be. */
  readonly temperature?: number | undefined
}

export interface GeneratedText {
  /** What came back, as it came: the engine parses and validates it. */
  readonly text: string
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined
  /** `length`: the answer was cut off. */
  readonly finishReason?: 'stop' | 'length' | 'other' | undefined
}

/** Writes text for a prompt. Implementations ask once and say what came back: the engine limits, retries, counts and checks. */
export interface LanguageModel {
  /** Names the provider and the model, e.g. `openai:gpt-5-mini`. */
  readonly id: string
  /** @throws ProviderError, `retryable` where asking again may help */
  generate(request: GenerateRequest): Promise<GeneratedText>
}
