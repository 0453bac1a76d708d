import type { GeneratedText, GenerateRequest, LanguageModel } from '../../contract/index.ts'
import { ModelError, SetupError } from '../../errors/index.ts'
import { type Connection, type HttpFailure, post, remedyFor } from '../../http/index.ts'
import { readCompletion, readStream } from './answer.ts'
import { bodyOf, commonDialect, nextDialect } from './dialect.ts'
import { type OpenAICompatibleOptions, parseOptions } from './options.ts'

export type { OpenAICompatibleOptions } from './options.ts'

/**
 * A language model behind the chat completions endpoint of OpenAI, or of any server that answers like it: Ollama, LM Studio,
 * vLLM, llama.cpp and most gateways. What is asked goes to that server, and nowhere else: redirects are not followed (MOD-10).
 *
 * A schema is sent as `response_format`; a server that refuses it gets the schema in words, which is remembered. It asks once:
 * the engine limits the time and tries again.
 *
 * @throws SetupError BAD_CONFIG for unusable options; from `generate` when the server refuses the request, which trying again
 * can't change.
 * @throws ModelError from `generate`: MODEL_UNAVAILABLE after a network failure, a broken-off answer, 408, 425, 429 or 5xx;
 * MODEL_BAD_OUTPUT when the answer is no chat completion.
 */
export function openAICompatible(options: OpenAICompatibleOptions): LanguageModel {
  const connection = parseOptions(options)
  const { model, stream = false } = options
  const id = `openai-compatible:${model}`
  let understood = commonDialect

  function read(response: Response): Promise<GeneratedText> {
    // A server that doesn't know streams answers as a whole.
    const isWhole = !stream || response.headers.get('content-type')?.includes('application/json')
    return isWhole ? readCompletion(response, id) : readStream(response, id)
  }

  async function generate(request: GenerateRequest): Promise<GeneratedText> {
    let dialect = understood
    for (;;) {
      const body = bodyOf(model, request, dialect, stream)
      const posted = await post(connection, { body, signal: request.signal, keepComplaint: true }, read)
      if ('answer' in posted) {
        // Only what was answered is known to be understood.
        understood = dialect
        return posted.answer
      }
      const { failure } = posted
      const next = isAboutParameters(failure) ? nextDialect(dialect, failure.complaint ?? '', request, stream) : null
      if (!next) throw failure.isRefusal ? refused(connection, id, failure) : unavailable(connection, id, failure)
      dialect = next
    }
  }
  return { id, generate }
}

/** Some servers fail where they should refuse: on a schema that they can't make a grammar of. */
function isAboutParameters({ status = 0, complaint = '' }: HttpFailure): boolean {
  return status === 400 || status === 422 || (status >= 500 && /grammar|schema|response_format/i.test(complaint))
}

function refused({ url }: Connection, id: string, { status = 0 }: HttpFailure): SetupError {
  const remedy = remedyFor(status, 'Check model, and that the request is not longer than it takes.')
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `The server ${url.host} refused the request of ${id} with HTTP ${status}. ${remedy}`,
    details: { model: id, host: url.host, status },
  })
}

function unavailable(
  { url }: Connection,
  id: string,
  { reason, status, retryAfterMs, hasBegun }: HttpFailure,
): ModelError {
  return new ModelError({
    code: 'MODEL_UNAVAILABLE',
    message: `The server ${url.host} of ${id} gave no answer: ${reason}. Check that it runs and is reachable, then try again.`,
    details: {
      model: id,
      host: url.host,
      reason,
      // Whether an answer was on its way, which is paid for.
      hasBegun,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  })
}
