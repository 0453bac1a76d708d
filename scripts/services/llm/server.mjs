// An OpenAI-compatible endpoint in front of a small local model, for end-to-end tests of what asks one.
//
//   LLM_API_KEY=test node server.mjs MODEL.gguf NAME PORT
//
// GET /v1/models; POST /v1/chat/completions, whole and streamed, with response_format json_object and json_schema;
// POST /v1/embeddings, mean-pooled: poor as embeddings, as they come from a chat model.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { getLlama, LlamaChat } from 'node-llama-cpp'

const [modelPath, modelName, port] = process.argv.slice(2)
const apiKey = process.env.LLM_API_KEY
const threads = Number(process.env.LLM_THREADS ?? 1)
const mostBytes = 4_000_000

const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error', maxThreads: threads })
const model = await llama.loadModel({ modelPath })
const context = await model.createContext({ contextSize: 8192, threads })
const grammars = new Map()
let embedder
/** One request at a time: there is one context. */
let queue = Promise.resolve()

class BadRequest extends Error {}

const errorBody = (message, type, code = null) => ({ error: { message, type, code } })

async function grammarFor(format) {
  if (!format || format.type === 'text') return undefined
  const key = JSON.stringify(format)
  if (!grammars.has(key)) {
    if (format.type === 'json_object') grammars.set(key, await llama.getGrammarFor('json'))
    else if (format.type === 'json_schema' && format.json_schema?.schema) {
      grammars.set(key, await llama.createGrammarForJsonSchema(format.json_schema.schema))
    } else throw new BadRequest('response_format is not understood')
  }
  return grammars.get(key)
}

function textOf(content) {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : ''
}

function chatHistory(messages) {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new BadRequest('messages must be a list that is not empty')
  const history = messages.map(({ role, content }) => {
    if (role === 'assistant') return { type: 'model', response: [textOf(content)] }
    return { type: role === 'system' || role === 'developer' ? 'system' : 'user', text: textOf(content) }
  })
  if (history.at(-1).type !== 'model') history.push({ type: 'model', response: [] })
  return history
}

async function complete(body, onTextChunk, signal) {
  const grammar = await grammarFor(body.response_format)
  const sequence = context.getSequence()
  try {
    const before = sequence.tokenMeter.getState()
    const chat = new LlamaChat({ contextSequence: sequence })
    const { response, metadata } = await chat.generateResponse(chatHistory(body.messages), {
      grammar,
      signal,
      stopOnAbortSignal: true,
      maxTokens: body.max_completion_tokens ?? body.max_tokens ?? 512,
      temperature: body.temperature ?? 0,
      onTextChunk,
    })
    chat.dispose({ disposeSequence: false })
    const { usedInputTokens, usedOutputTokens } = sequence.tokenMeter.diff(before)
    return {
      text: response,
      finish: metadata.stopReason === 'maxTokens' ? 'length' : 'stop',
      usage: {
        prompt_tokens: usedInputTokens,
        completion_tokens: usedOutputTokens,
        total_tokens: usedInputTokens + usedOutputTokens,
      },
    }
  } finally {
    sequence.dispose()
  }
}

async function readBody(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > mostBytes) throw new BadRequest('the body is too large')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new BadRequest('the body is not JSON')
  }
}

function send(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

async function answerWhole(body, response, base, signal) {
  const { text, finish, usage } = await complete(body, undefined, signal)
  const message = { role: 'assistant', content: text, refusal: null }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }]
  send(response, 200, { ...base, object: 'chat.completion', choices, usage })
}

async function answerStreamed(body, response, base, signal) {
  // A bad request must fail before the stream begins.
  await grammarFor(body.response_format)
  chatHistory(body.messages)
  const write = (value) =>
    response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...value })}\n\n`)
  const piece = (delta, finish = null) => write({ choices: [{ index: 0, delta, finish_reason: finish }] })
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  piece({ role: 'assistant', content: '' })
  const { finish, usage } = await complete(body, (text) => piece({ content: text }), signal)
  piece({}, finish)
  if (body.stream_options?.include_usage) write({ choices: [], usage })
  response.end('data: [DONE]\n\n')
}

async function embed(body, response) {
  if (body.input === undefined) throw new BadRequest('input is missing')
  embedder ??= await model.createEmbeddingContext({ contextSize: 512, threads })
  const data = []
  let tokens = 0
  for (const [index, text] of [body.input].flat().entries()) {
    const { vector } = await embedder.getEmbeddingFor(text)
    tokens += model.tokenize(text).length
    data.push({ object: 'embedding', index, embedding: [...vector] })
  }
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  send(response, 200, { object: 'list', model: modelName, data, usage })
}

async function handle(request, response) {
  const path = new URL(request.url, 'http://localhost').pathname
  try {
    if (apiKey && request.headers.authorization !== `Bearer ${apiKey}`) {
      return send(response, 401, errorBody('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key'))
    }
    if (request.method === 'GET' && path === '/v1/models') {
      const data = [{ id: modelName, object: 'model', created: 0, owned_by: 'local' }]
      return send(response, 200, { object: 'list', data })
    }
    const isChat = path === '/v1/chat/completions'
    if (request.method !== 'POST' || (!isChat && path !== '/v1/embeddings')) {
      return send(response, 404, errorBody('not found', 'invalid_request_error'))
    }
    const body = await readBody(request)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const base = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model: modelName }
    const mine = queue.then(() => {
      if (gone.signal.aborted) return undefined
      if (!isChat) return embed(body, response)
      return (body.stream ? answerStreamed : answerWhole)(body, response, base, gone.signal)
    })
    queue = mine.catch(() => undefined)
    await mine
  } catch (error) {
    const status = error instanceof BadRequest ? 400 : 500
    if (status === 500) console.error(error)
    if (response.headersSent) response.destroy()
    else send(response, status, errorBody(error.message, status === 400 ? 'invalid_request_error' : 'server_error'))
  }
}

createServer(handle).listen(Number(port), '127.0.0.1', () => console.log('READY'))
process.on('SIGTERM', () => process.exit(0))
