import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type JsonServer, json, jsonServer, type ReceivedJson } from '../../../test/fixtures/json-server.ts'
import type { GenerateRequest } from '../../contract/index.ts'
import { type OpenAICompatibleOptions, openAICompatible } from './index.ts'

type Received = ReceivedJson<Record<string, unknown>>
type Responder = (request: Received, response: ServerResponse) => void

const apiKey = 'sk-very-secret'
const request: GenerateRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'my secret diary' }],
  maxTokens: 9,
  temperature: 0,
}
const schema = {
  type: 'object',
  properties: { facts: { type: 'array', items: { type: 'string' } } },
  required: ['facts'],
  additionalProperties: false,
}

let server: JsonServer
let baseUrl: string
let received: Received[]
/** One per request, in order; the last one answers all that follow. */
let responders: Responder[]

beforeEach(async () => {
  received = []
  responders = [say('Hello')]
  server = await jsonServer<Received['body']>((entry, response) => {
    received.push(entry)
    responders[Math.min(received.length, responders.length) - 1]!(entry, response)
  })
  baseUrl = server.baseUrl
})

afterEach(() => server.close())

function say(content: unknown, finish_reason = 'stop', more: object = {}): Responder {
  return (_, response) =>
    json(response, {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content, ...more }, finish_reason }],
      usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
    })
}

/** Pieces of a stream; a null hangs up. */
function stream(...pieces: readonly (string | null)[]): Responder {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (at: number): void => {
      const piece = pieces[at]
      if (piece === undefined) response.end()
      else if (piece === null) response.destroy()
      else response.write(piece, () => setImmediate(send, at + 1))
    }
    send(0)
  }
}

function chunk(content: string | undefined, finish_reason: string | null = null, more: object = {}): string {
  const delta = content === undefined ? {} : { content }
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`
}

/** Fails as servers do that echo the request and its key. */
function fail(status: number, headers: Record<string, string> = {}, text = ''): Responder {
  return (entry, response) => {
    response
      .writeHead(status, headers)
      .end(`${text} ${entry.headers.authorization} ${JSON.stringify(entry.body.messages)}`)
  }
}

function make(options: Partial<OpenAICompatibleOptions> = {}) {
  return openAICompatible({ baseUrl, model: 'm', apiKey, ...options })
}

async function failureOf(
  options: Partial<OpenAICompatibleOptions> = {},
  more: Partial<GenerateRequest> = {},
): Promise<Error> {
  const error: unknown = await make(options)
    .generate({ ...request, ...more })
    .then(
      () => 'no error',
      (thrown: unknown) => thrown,
    )
  expect(error).toBeInstanceOf(Error)
  const shown = `${inspect(error, { depth: 20, showHidden: true })}${JSON.stringify(error)}`
  expect(shown).not.toContain('secret')
  return error as Error
}

describe('openAICompatible', () => {
  it('[MOD-10] one chat completion is posted with model and key, and comes back as text with usage', async () => {
    const model = make({ headers: { 'x-team': 'blue' } })
    expect(model.id).toBe('openai-compatible:m')
    expect(await model.generate(request)).toEqual({
      text: 'Hello',
      finishReason: 'stop',
      usage: { inputTokens: 7, outputTokens: 2 },
    })
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: `Bearer ${apiKey}`, 'x-team': 'blue' },
    })
    expect(received[0]!.body).toEqual({
      model: 'm',
      messages: [{ role: 'system', content: 'Be brief.' }, request.messages[0]],
      max_tokens: 9,
      temperature: 0,
    })
  })

  it('[MOD-10] parts, refusals, missing usage and cut-off answers are understood', async () => {
    responders = [
      say([{ type: 'text', text: 'He' }, { type: 'image' }, { type: 'text', text: 'llo' }]),
      say(null, 'stop', { refusal: 'I must not.' }),
      say('Hel', 'length'),
      say('', 'content_filter'),
      (_, response) => json(response, { choices: [{ message: { content: 'Hi' } }] }),
    ]
    const model = make()
    const answers: unknown[] = []
    for (let i = 0; i < 5; i++) answers.push(await model.generate(request))
    expect(answers).toMatchObject([
      { text: 'Hello' },
      { text: 'I must not.' },
      { text: 'Hel', finishReason: 'length' },
      { text: '', finishReason: 'other' },
      { text: 'Hi' },
    ])
    expect(answers[4]).not.toHaveProperty('usage')
  })

  it('[MOD-11] a schema is sent as response_format, strict where it leaves nothing open', async () => {
    responders = [say('{"facts":[]}')]
    await make().generate({ ...request, schema })
    await make().generate({ ...request, schema: { ...schema, required: [] } })
    expect(received.map(({ body }) => body.response_format)).toEqual([
      { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
      { type: 'json_schema', json_schema: { name: 'answer', schema: { ...schema, required: [] } } },
    ])
  })

  it('[MOD-11] a server that refuses it gets the schema in words; what was understood is remembered', async () => {
    responders = [fail(400), fail(400), fail(422), say('{"facts":[]}'), say('{"facts":[]}')]
    const model = make()
    expect(await model.generate({ ...request, schema })).toMatchObject({ text: '{"facts":[]}' })
    await model.generate({ ...request, schema })
    const formats = received.map(({ body }) => body.response_format)
    expect(formats).toEqual([
      { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
      { type: 'json_schema', json_schema: { name: 'answer', schema } },
      { type: 'json_object' },
      undefined,
      undefined,
    ])
    const [system] = received[4]!.body.messages as { content: string }[]
    expect(system!.content).toContain('Be brief.')
    expect(system!.content).toContain(JSON.stringify(schema))
  })

  it('[MOD-11] a server that fails on a schema is asked with less of one, and one that fails otherwise is not', async () => {
    responders = [fail(500, {}, 'Failed to parse grammar'), say('{"facts":[]}')]
    expect(await make().generate({ ...request, schema })).toMatchObject({ text: '{"facts":[]}' })
    expect(received).toHaveLength(2)
    responders = [fail(500, {}, 'Out of memory')]
    expect(await failureOf({}, { schema })).toMatchObject({ code: 'MODEL_UNAVAILABLE', details: { status: 500 } })
    expect(received).toHaveLength(3)
  })

  it('[MOD-11] other parameters that a server refuses by name are left out or renamed', async () => {
    responders = [
      fail(400, {}, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
      fail(400, {}, "Unsupported value: 'temperature' does not support 0."),
      fail(400, {}, 'Unrecognized request argument supplied: stream_options'),
      stream(chunk('Hi', 'stop'), 'data: [DONE]\n\n'),
    ]
    expect(await make({ stream: true }).generate(request)).toEqual({ text: 'Hi', finishReason: 'stop' })
    expect(received[0]!.body).toMatchObject({ max_tokens: 9, stream_options: { include_usage: true } })
    expect(received[3]!.body).toEqual({
      model: 'm',
      messages: expect.any(Array),
      max_completion_tokens: 9,
      stream: true,
    })
  })

  it('[MOD-11] a request that is refused in every form is BAD_CONFIG, and nothing is remembered', async () => {
    responders = [fail(400, {}, 'max_completion_tokens')]
    const model = make()
    await expect(model.generate({ ...request, schema })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
    expect(received).toHaveLength(5)
    responders = [say('{}')]
    await model.generate({ ...request, schema })
    expect(received[5]!.body).toMatchObject({ max_tokens: 9, response_format: { type: 'json_schema' } })
  })

  it('[MOD-12] a stream is read to its end, however its bytes are cut', async () => {
    const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }
    const text = [
      ': keep-alive\n\n',
      chunk(''),
      chunk('Grüße, '),
      chunk('世界 🌍'),
      chunk(undefined, 'length'),
      `data: ${JSON.stringify(usage)}\r\n\r\n`,
      'data: [DONE]\n\n',
    ].join('')
    const bytes = Buffer.from(text)
    responders = [
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (const byte of bytes) response.write(Buffer.from([byte]))
        response.end()
      },
    ]
    expect(await make({ stream: true }).generate(request)).toEqual({
      text: 'Grüße, 世界 🌍',
      finishReason: 'length',
      usage: { inputTokens: 3, outputTokens: 4 },
    })
    expect(received[0]!.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })

  it('[MOD-12] a line without end in small pieces costs time that grows with its length alone', async () => {
    const time = async (length: number) => {
      const piece = Buffer.from('x'.repeat(256))
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from('data: '))
          for (let sent = 0; sent < length; sent += piece.length) controller.enqueue(piece)
          controller.close()
        },
      })
      const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      const before = process.cpuUsage().user
      const asking = make({ stream: true, fetch: async () => answer }).generate(request)
      await expect(asking).rejects.toMatchObject({ code: 'MODEL_BAD_OUTPUT' })
      return process.cpuUsage().user - before
    }
    await time(100_000)
    expect(await time(2_000_000)).toBeLessThan(10 * Math.max(await time(500_000), 20_000))
  })

  it('[MOD-12] a stream without [DONE] is whole when it said why it ended; a server without streams is understood', async () => {
    responders = [stream(chunk('Hi', 'stop')), say('Whole')]
    const model = make({ stream: true })
    expect(await model.generate(request)).toMatchObject({ text: 'Hi', finishReason: 'stop' })
    expect(await model.generate(request)).toMatchObject({ text: 'Whole' })
  })

  const brokenOff: Record<string, [responder: Responder, stream: boolean]> = {
    'a stream that ends in the middle': [stream(chunk('{"facts":[')), true],
    'a stream that is hung up': [stream(chunk('{"facts":['), null), true],
    'a stream that tells of an error': [
      stream(chunk('{"fa'), 'data: {"error":{"message":"overloaded secret"}}\n\n'),
      true,
    ],
    'an empty stream': [stream(), true],
    'an answer that is hung up': [
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' })
        response.write('{"choices":', () => response.destroy())
      },
      false,
    ],
    'an answer that just ends': [(_, response) => response.end('{"choices":[{"message":{"content":"secr'), false],
    'an error where an answer should be': [
      (_, response) => json(response, { error: { code: 502, message: 'secret' } }),
      false,
    ],
    'an answer that ends with an error': [say('{"facts":[', 'error'), false],
    'no answer at all': [(_, response) => response.end(''), false],
  }
  for (const [title, [responder, streams]] of Object.entries(brokenOff)) {
    it(`[MOD-12] ${title} is MODEL_UNAVAILABLE and may be tried again; nothing of it is used`, async () => {
      responders = [responder]
      expect(await failureOf({ stream: streams })).toMatchObject({
        code: 'MODEL_UNAVAILABLE',
        retryable: true,
        details: { hasBegun: true },
      })
      expect(received).toHaveLength(1)
    })
  }

  it('[MOD-13] 429 and 5xx are MODEL_UNAVAILABLE, with what Retry-After says; it asks once', async () => {
    for (const status of [408, 425, 429, 500, 503]) {
      responders = [fail(status, { 'retry-after': '7' })]
      expect(await failureOf()).toMatchObject({
        code: 'MODEL_UNAVAILABLE',
        retryable: true,
        details: { status, retryAfterMs: 7_000, hasBegun: false },
      })
    }
    expect(received).toHaveLength(5)
  })

  it('[MOD-13] a refusal whose text never ends is what its status says', async () => {
    responders = [
      (_, response) => {
        response.writeHead(429, { 'retry-after': '7' })
        response.write('wait')
      },
    ]
    expect(await failureOf()).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      details: { status: 429, retryAfterMs: 7_000, hasBegun: false },
    })
  })

  it('[MOD-13] a server that is not there is MODEL_UNAVAILABLE', async () => {
    await server.close()
    expect(await failureOf()).toMatchObject({ code: 'MODEL_UNAVAILABLE', details: { reason: 'ECONNREFUSED' } })
  })

  it('[MOD-13] any other status is BAD_CONFIG and says what to check: a wrong key, a wrong address, a redirect', async () => {
    const remedies = {
      401: /apiKey/,
      403: /apiKey/,
      404: /baseUrl/,
      302: /redirects/,
      400: /Check model/,
      413: /longer/,
    }
    for (const [status, remedy] of Object.entries(remedies)) {
      responders = [fail(Number(status), status === '302' ? { location: '/elsewhere' } : {})]
      const error = await failureOf()
      expect(error).toMatchObject({ code: 'BAD_CONFIG', retryable: false })
      expect(error.message).toMatch(remedy)
    }
    expect(received).toHaveLength(6)
  })

  const unusable: Record<string, Responder> = {
    'a page': (_, response) => response.end('<html>secret</html>'),
    'JSON of another shape': (_, response) => json(response, { answer: 'secret' }),
    'no choice': (_, response) => json(response, { choices: [] }),
    'more than 16 MB': (_, response) => response.end('x'.repeat(16_000_001)),
  }
  for (const [title, responder] of Object.entries(unusable)) {
    it(`[MOD-13] ${title} is MODEL_BAD_OUTPUT`, async () => {
      responders = [responder]
      expect(await failureOf()).toMatchObject({ code: 'MODEL_BAD_OUTPUT', retryable: false })
    })
  }

  it('[MOD-13] a page where a stream was asked for is MODEL_BAD_OUTPUT', async () => {
    responders = [stream('<!doctype html>\n<p>secret</p>\n')]
    expect(await failureOf({ stream: true })).toMatchObject({ code: 'MODEL_BAD_OUTPUT', retryable: false })
  })

  it('[MOD-13] what is no JSON in a stream is MODEL_BAD_OUTPUT', async () => {
    responders = [stream('data: secret\n\n')]
    expect(await failureOf({ stream: true })).toMatchObject({ code: 'MODEL_BAD_OUTPUT' })
  })

  it('[MOD-13] a cancelled call throws the reason: before, while waiting for an answer, and in the middle of one', async () => {
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    await expect(make().generate({ ...request, signal })).rejects.toBe(reason)
    expect(received).toHaveLength(0)
    for (const streams of [false, true]) {
      const controller = new AbortController()
      responders = [
        (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write('data: {', () => controller.abort(reason))
        },
      ]
      const call = make({ stream: streams }).generate({ ...request, signal: controller.signal })
      await expect(call).rejects.toBe(reason)
    }
  })

  it('[MOD-13] unusable options are refused at once, and neither they nor a printed model show the key', () => {
    const bad: Partial<OpenAICompatibleOptions>[] = [
      { baseUrl: 'not a url secret' },
      { baseUrl: 'http://user:secret@127.0.0.1/v1' },
      { model: '' },
      { apiKey: 'secret\nline' },
      { headers: { 'x-key': 'a\r\nsecret' } },
    ]
    for (const options of bad) {
      let thrown: unknown
      try {
        make(options)
      } catch (error) {
        thrown = error
      }
      expect(thrown, Object.keys(options)[0]).toMatchObject({ code: 'BAD_CONFIG' })
      expect(inspect(thrown, { depth: 20, showHidden: true })).not.toContain('secret')
    }
    const model = make()
    expect(inspect(model, { depth: 20, showHidden: true }) + JSON.stringify(model)).not.toContain('secret')
  })
})
