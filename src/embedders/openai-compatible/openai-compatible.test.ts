import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type JsonServer, json, jsonServer, type ReceivedJson } from '../../../test/fixtures/json-server.ts'
import { openAICompatible } from './index.ts'
import type { OpenAICompatibleOptions } from './options.ts'

type Received = ReceivedJson<{ model: string; input: string[]; dimensions?: number }>
type Responder = (request: Received, response: ServerResponse) => void

const apiKey = 'sk-very-secret'
const secretText = 'my secret diary'
const document = { purpose: 'document' } as const

let server: JsonServer
let baseUrl: string
let received: Received[]
/** One per request, in order; the last one answers all that follow. */
let responders: Responder[]

beforeEach(async () => {
  received = []
  responders = [embed]
  server = await jsonServer<Received['body']>((entry, response) => {
    received.push(entry)
    responders[Math.min(received.length, responders.length) - 1]!(entry, response)
  })
  baseUrl = server.baseUrl
})

afterEach(() => server.close())

/** What the model of the test server makes of a text. */
function vectorOf(text: string): number[] {
  return [text.length, text.codePointAt(0) ?? 0, 0.5]
}

function embed({ body }: Received, response: ServerResponse): void {
  const data = body.input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
  json(response, { object: 'list', data, model: body.model, usage: { prompt_tokens: 1, total_tokens: 1 } })
}

function data(...entries: unknown[]): Responder {
  return (_, response) => json(response, { data: entries })
}

/** Fails as servers do that echo the request and its key. */
function fail(status: number, headers: Record<string, string> = {}): Responder {
  return (request, response) => {
    response.writeHead(status, headers).end(`${request.headers.authorization} ${request.body.input.join()}`)
  }
}

function make(options: Partial<OpenAICompatibleOptions> = {}) {
  return openAICompatible({ baseUrl, model: 'm', dimensions: 3, apiKey, retryDelayMs: 0, ...options })
}

async function failureOf(options: Partial<OpenAICompatibleOptions> = {}, texts = [secretText]): Promise<Error> {
  const error: unknown = await make(options)
    .embed(texts, document)
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
  it('[EMB-7] texts are posted to baseUrl/embeddings with model and key, and come back as vectors', async () => {
    const embedder = make({ headers: { 'x-team': 'blue' } })
    expect(embedder).toMatchObject({ id: 'openai-compatible:m', dimensions: 3, maxBatchSize: 256 })
    expect(await embedder.embed(['abc', 'é'], document)).toEqual([
      Float32Array.of(3, 97, 0.5),
      Float32Array.of(1, 233, 0.5),
    ])
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({ url: '/v1/embeddings', body: { model: 'm', input: ['abc', 'é'] } })
    expect(received[0]!.body).not.toHaveProperty('dimensions')
    expect(received[0]!.headers).toMatchObject({ authorization: `Bearer ${apiKey}`, 'x-team': 'blue' })
  })

  it('[EMB-7] a slash at the end of baseUrl and a query in it are kept out of the way', async () => {
    await make({ baseUrl: `${baseUrl}/?api-version=2` }).embed(['a'], document)
    expect(received[0]!.url).toBe('/v1/embeddings?api-version=2')
  })

  it('[EMB-7] the server is asked for shorter vectors only when told so', async () => {
    await make({ requestDimensions: true }).embed(['a'], document)
    expect(received[0]!.body.dimensions).toBe(3)
  })

  it('[EMB-11] prefixes go before questions and documents, and the document prefix is part of the id', async () => {
    const embedder = make({ queryPrefix: 'query: ', documentPrefix: 'passage: ' })
    await embedder.embed(['a'], { purpose: 'query' })
    await embedder.embed(['a'], document)
    expect(received.map(({ body }) => body.input)).toEqual([['query: a'], ['passage: a']])
    expect(embedder.id).toMatch(/^openai-compatible:m#[0-9a-f]{8}$/)
  })

  it('[EMB-2] blank texts are vectors of zeros and are not sent', async () => {
    const embedder = make({ documentPrefix: 'passage: ' })
    expect(await embedder.embed(['', ' \n'], document)).toEqual([new Float32Array(3), new Float32Array(3)])
    expect(await embedder.embed([], document)).toEqual([])
    expect(received).toHaveLength(0)
    const [blank, filled] = await make().embed(['', 'abc'], document)
    expect(blank).toEqual(new Float32Array(3))
    expect(filled).toEqual(Float32Array.of(3, 97, 0.5))
  })

  it('[EMB-7] vectors are put in the order of the texts by their index', async () => {
    responders = [data({ index: 1, embedding: [2, 2, 2] }, { index: 0, embedding: [1, 1, 1] })]
    expect(await make().embed(['a', 'b'], document)).toEqual([Float32Array.of(1, 1, 1), Float32Array.of(2, 2, 2)])
  })

  it('[EMB-7] base64 vectors and entries without an index are understood', async () => {
    const bytes = Buffer.alloc(12)
    for (const [i, value] of [1.5, -2, 0.25].entries()) bytes.writeFloatLE(value, i * 4)
    responders = [data({ embedding: bytes.toString('base64') }, { embedding: [1, 2, 3] })]
    expect(await make().embed(['a', 'b'], document)).toEqual([Float32Array.of(1.5, -2, 0.25), Float32Array.of(1, 2, 3)])
  })

  const unusable: Record<string, Responder> = {
    'prose instead of JSON': (_, response) => response.end(`Here is ${secretText}`),
    'JSON of another shape': (_, response) => json(response, { embeddings: [[1, 2, 3]] }),
    null: (_, response) => json(response, null),
    'too few vectors': data({ index: 0, embedding: [1, 2, 3] }),
    'too many vectors': data(...[0, 1, 2].map((index) => ({ index, embedding: [1, 2, 3] }))),
    'two vectors for one text': data({ index: 0, embedding: [1, 2, 3] }, { index: 0, embedding: [1, 2, 3] }),
    'an index out of range': data({ index: 0, embedding: [1, 2, 3] }, { index: 2, embedding: [1, 2, 3] }),
    'an index that is no number': data({ index: 0, embedding: [1, 2, 3] }, { index: '1', embedding: [1, 2, 3] }),
    'a wrong length': data({ index: 0, embedding: [1, 2, 3] }, { index: 1, embedding: [1, 2] }),
    'null among the numbers': data({ index: 0, embedding: [1, 2, 3] }, { index: 1, embedding: [1, null, 3] }),
    'text among the numbers': data({ index: 0, embedding: [1, 2, 3] }, { index: 1, embedding: [1, secretText, 3] }),
    'a number past float32': data({ index: 0, embedding: [1, 2, 3] }, { index: 1, embedding: [1, 1e300, 3] }),
    'NaN, which is not JSON': (_, response) => response.end('{"data":[{"index":0,"embedding":[NaN,1,2]}]}'),
    'no vector': data({ index: 0, embedding: [1, 2, 3] }, { index: 1 }),
    'an entry that is no object': data({ index: 0, embedding: [1, 2, 3] }, secretText),
    'broken base64': data({ index: 0, embedding: [1, 2, 3] }, { index: 1, embedding: 'AAAA' }),
  }
  for (const [title, responder] of Object.entries(unusable)) {
    it(`[EMB-8] ${title} is bad output and is not asked for again`, async () => {
      responders = [responder]
      const error = await failureOf({}, [secretText, 'b'])
      expect(error).toMatchObject({ code: 'EMBEDDER_BAD_OUTPUT', retryable: false })
      expect(received).toHaveLength(1)
    })
  }

  for (const status of [302, 400, 401, 403, 404, 413, 422]) {
    it(`[EMB-9] HTTP ${status} is a set-up error that says what to check, and is not tried again`, async () => {
      responders = [fail(status, status === 302 ? { location: '/elsewhere' } : {})]
      const error = await failureOf()
      expect(error).toMatchObject({ code: 'BAD_CONFIG', retryable: false, details: { status } })
      expect(error.message).toMatch(/Check|set baseUrl/)
      expect(received).toHaveLength(1)
    })
  }

  it('[EMB-9] HTTP 429 is tried again after the time the server asks for', async () => {
    responders = [fail(429, { 'retry-after': '0' }), embed]
    // A pause of a minute if Retry-After were not obeyed: the test would time out.
    expect(await make({ retryDelayMs: 60_000 }).embed(['a'], document)).toHaveLength(1)
    expect(received).toHaveLength(2)
  })

  it('[EMB-9] a Retry-After in the past is tried at once, and one too far off is not waited for', async () => {
    responders = [fail(503, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }), embed]
    expect(await make({ retryDelayMs: 60_000 }).embed(['a'], document)).toHaveLength(1)
    responders = [fail(429, { 'retry-after': '3600' })]
    received = []
    expect(await failureOf()).toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      details: { attempts: 1, retryAfterMs: 3_600_000, status: 429 },
    })
  })

  it('[EMB-9] HTTP 500 is tried as often as told, then the embedder is unavailable', async () => {
    responders = [fail(500)]
    expect(await failureOf({ retries: 2 })).toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      retryable: true,
      details: { status: 500, attempts: 3 },
    })
    expect(received).toHaveLength(3)
    received = []
    await failureOf({ retries: 0 })
    expect(received).toHaveLength(1)
  })

  it('[EMB-9] a server that never answers, or stops half-way, is left after the timeout', async () => {
    for (const responder of [
      () => undefined,
      (_: Received, response: ServerResponse) => void response.writeHead(200).write('{"data":'),
    ]) {
      responders = [responder]
      expect(await failureOf({ timeoutMs: 50, retries: 1 })).toMatchObject({
        code: 'EMBEDDER_UNAVAILABLE',
        message: expect.stringContaining('within 50 ms'),
        details: { attempts: 2 },
      })
    }
  })

  it('[EMB-9] a connection closed half-way is tried again', async () => {
    const closeHalfWay: Responder = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"data":', () => response.destroy())
    }
    responders = [closeHalfWay, embed]
    expect(await make().embed(['a'], document)).toHaveLength(1)
    responders = [closeHalfWay]
    expect(await failureOf()).toMatchObject({ code: 'EMBEDDER_UNAVAILABLE', details: { attempts: 3 } })
  })

  it('[EMB-9] a server that is not there makes the embedder unavailable', async () => {
    await server.close()
    expect(await failureOf()).toMatchObject({ code: 'EMBEDDER_UNAVAILABLE', details: { reason: 'ECONNREFUSED' } })
  })

  it('[EMB-3] a cancelled call throws the reason: before, while waiting for an answer, and between attempts', async () => {
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    await expect(make().embed(['a'], { ...document, signal })).rejects.toBe(reason)
    expect(received).toHaveLength(0)

    const waiting = new AbortController()
    responders = [() => waiting.abort(reason)]
    await expect(make().embed(['a'], { ...document, signal: waiting.signal })).rejects.toBe(reason)

    const pausing = new AbortController()
    responders = [fail(500)]
    const fetchThenAbort: typeof fetch = async (...request) => {
      const response = await fetch(...request)
      setImmediate(() => pausing.abort(reason))
      return response
    }
    const slow = make({ retryDelayMs: 60_000, fetch: fetchThenAbort })
    await expect(slow.embed(['a'], { ...document, signal: pausing.signal })).rejects.toBe(reason)
  })

  it('[EMB-9] what an own fetch throws is not repeated, as it may hold the request', async () => {
    const error = await failureOf({
      fetch: () => Promise.reject(Object.assign(new Error(`failed with ${apiKey}`), { code: apiKey })),
    })
    expect(error).toMatchObject({ code: 'EMBEDDER_UNAVAILABLE', details: { reason: 'the connection failed' } })
  })

  it('[EMB-9] unusable options are refused at once, without showing their values', () => {
    const bad: Partial<OpenAICompatibleOptions>[] = [
      { baseUrl: 'not a url secret' },
      { baseUrl: 'ftp://secret/v1' },
      { baseUrl: 'http://user:secret@127.0.0.1/v1' },
      { model: '' },
      { dimensions: 0 },
      { apiKey: 'secret\nline' },
      { apiKey: '' },
      { headers: { 'x-key': 'a\r\nsecret' } },
      { timeoutMs: 0 },
      { retries: -1 },
      { retryDelayMs: Number.NaN },
      { maxBatchSize: 0 },
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
  })

  it('[EMB-9] a printed embedder does not show the key', () => {
    const embedder = make()
    expect(inspect(embedder, { depth: 20, showHidden: true }) + JSON.stringify(embedder)).not.toContain('secret')
  })
})
