import type { GeneratedText } from '../../contract/index.ts'
import { ModelError } from '../../errors/index.ts'

/** Bytes of an answer that are read at most: no answer of use is longer. */
const mostBytes = 16_000_000

/** The answer broke off: what was received is dropped, as half an answer may say the opposite. */
class BrokenOff extends Error {
  readonly code = 'ANSWER_BROKE_OFF'
}

/** A chat completion read to its end. @throws ModelError MODEL_BAD_OUTPUT when it is none; an error with a code when it broke off */
export async function readCompletion(response: Response, id: string): Promise<GeneratedText> {
  let body = ''
  for await (const piece of texts(response, id)) body += piece
  const parsed = parseJson(body)
  if (parsed === undefined) {
    // A connection without a length may just end: half of an object is a hang-up.
    if (body.trim() === '' || body.trimStart().startsWith('{')) throw new BrokenOff()
    throw badOutput(id, 'its answer is not JSON')
  }
  const choice = firstChoice(parsed)
  if (tellsOfError(parsed, choice)) throw new BrokenOff()
  if (!choice) throw badOutput(id, 'its answer has no choices')
  const message = asObject(choice.message)
  return generated(textOf(message?.content) || textOf(message?.refusal), choice.finish_reason, asObject(parsed)?.usage)
}

/** A streamed chat completion (server-sent events) read to its end. @throws as `readCompletion` */
export async function readStream(response: Response, id: string): Promise<GeneratedText> {
  let text = ''
  let finish: unknown
  let usage: unknown
  for await (const data of events(response, id)) {
    if (data === '[DONE]') return generated(text, finish, usage)
    const chunk = asObject(parseJson(data))
    if (!chunk) throw badOutput(id, 'its stream holds something that is not JSON')
    const choice = firstChoice(chunk)
    if (tellsOfError(chunk, choice)) throw new BrokenOff()
    usage = chunk.usage ?? usage
    const delta = asObject(choice?.delta)
    text += textOf(delta?.content) || textOf(delta?.refusal)
    finish = choice?.finish_reason ?? finish
  }
  // Some servers end without [DONE]; one that said neither that nor why it ended hung up.
  if (finish === undefined) throw new BrokenOff()
  return generated(text, finish, usage)
}

/** The data of each event. */
async function* events(response: Response, id: string): AsyncGenerator<string> {
  let [isStream, isOther] = [false, false]
  for await (const line of linesOf(response, id)) {
    if (!line.startsWith('data:')) {
      isOther ||= !/^(?:$|\s|:|event|id|retry)/.test(line)
      continue
    }
    isStream = true
    yield line.slice(5).trim()
  }
  if (isOther && !isStream) throw badOutput(id, 'its answer is no stream of events')
}

async function* linesOf(response: Response, id: string): AsyncGenerator<string> {
  // A line without end comes in many pieces: each is looked through once.
  let rest: string[] = []
  for await (const piece of texts(response, id)) {
    const [first, ...more] = piece.split('\n')
    rest.push(first as string)
    for (const next of more) {
      yield rest.join('')
      rest = [next]
    }
  }
  yield rest.join('')
}

/** The body as it comes. */
async function* texts(response: Response, id: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let bytes = 0
  const reader = response.body?.getReader()
  if (!reader) return
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.length
      if (bytes > mostBytes) throw badOutput(id, `its answer is longer than ${mostBytes} bytes`)
      yield decoder.decode(next.value, { stream: true })
    }
    yield decoder.decode()
  } finally {
    // Left early: nothing more is wanted of this connection.
    await reader.cancel().catch(() => undefined)
  }
}

function generated(text: string, finish: unknown, usage: unknown): GeneratedText {
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = asObject(usage) ?? {}
  const finishReason = finish === 'length' || finish === 'stop' ? finish : 'other'
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return { text, finishReason }
  return { text, finishReason, usage: { inputTokens, outputTokens } }
}

/** What gateways tell after their 200: that the model behind them is overloaded, most often. */
function tellsOfError(answer: unknown, choice: Record<string, unknown> | undefined): boolean {
  const error = asObject(answer)?.error
  return (error !== undefined && error !== null) || choice?.finish_reason === 'error'
}

function firstChoice(answer: unknown): Record<string, unknown> | undefined {
  const choices = asObject(answer)?.choices
  return Array.isArray(choices) ? asObject(choices[0]) : undefined
}

/** Content is a text, or a list of parts of which some are text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => textOf(asObject(part)?.text)).join('')
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function badOutput(id: string, fault: string): ModelError {
  return new ModelError({
    code: 'MODEL_BAD_OUTPUT',
    message: `The language model ${id} returned something unusable: ${fault}. Check baseUrl, and that a chat completions endpoint is there.`,
    details: { model: id },
  })
}
