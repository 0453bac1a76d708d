import { type Connection, connectionTo, type Endpoint, requireText } from '../../http/index.ts'

export interface OpenAICompatibleOptions extends Endpoint {
  /** Where `/chat/completions` lives, e.g. `https://api.openai.com/v1` or `http://localhost:11434/v1` (Ollama). A query part is kept. */
  readonly baseUrl: string
  readonly model: string
  /**
   * Receive the answer piece by piece. The result is the same; it keeps connections alive that proxies or servers cut when nothing
   * comes for long, and is needed for answers that take more than five minutes. @default false
   */
  readonly stream?: boolean
}

/** @throws SetupError BAD_CONFIG */
export function parseOptions(options: OpenAICompatibleOptions): Connection {
  const factory = 'openAICompatible'
  requireText(options.model, 'model', factory)
  return connectionTo(options, '/chat/completions', factory)
}
