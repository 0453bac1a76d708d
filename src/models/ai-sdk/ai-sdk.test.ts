import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type JsonServer, jsonServer } from '../../../test/fixtures/json-server.ts'
import type { GenerateRequest } from '../../contract/index.ts'
import { type AiSdkCall, type AiSdkModel, aiSdk } from './index.ts'

const request: GenerateRequest = {
  system: 'Be brief.',
  messages: [
    { role: 'user', content: 'my secret diary' },
    { role: 'assistant', content: 'Yes?' },
    { role: 'user', content: 'Sum up.' },
  ],
  maxTokens: 9,
  temperature: 0,
}
const schema = { type: 'object', properties: { facts: { type: 'array' } }, required: ['facts'] }

/** A model as a version of the AI SDK has them; what it was asked is kept. */
function modelOf(specificationVersion: string, answer: object | Error) {
  const calls: AiSdkCall[] = []
  const model: AiSdkModel = {
    specificationVersion,
    provider: 'test',
    modelId: 'm',
    async doGenerate(call) {
      calls.push(call)
      if (answer instanceof Error) throw answer
      return answer as Awaited<ReturnType<AiSdkModel['doGenerate']>>
    },
  }
  return { model, calls }
}

const said = {
  content: [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'He' },
    { type: 'text', text: 'llo' },
  ],
}

describe('aiSdk', () => {
  it('[MOD-20] models of version 5 answer with text, usage and how they ended', async () => {
    const { model, calls } = modelOf('v2', {
      ...said,
      finishReason: 'length',
      usage: { inputTokens: 7, outputTokens: 2, totalTokens: 9 },
      warnings: [],
    })
    const asked = aiSdk(model)
    expect(asked.id).toBe('ai-sdk:test:m')
    expect(await asked.generate(request)).toEqual({
      text: 'Hello',
      finishReason: 'length',
      usage: { inputTokens: 7, outputTokens: 2 },
    })
    expect(calls).toEqual([
      {
        prompt: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'text', text: 'my secret diary' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'Yes?' }] },
          { role: 'user', content: [{ type: 'text', text: 'Sum up.' }] },
        ],
        maxOutputTokens: 9,
        temperature: 0,
      },
    ])
  })

  it('[MOD-20] models of later versions too: reasons and usage in parts, a text of its own for JSON', async () => {
    const { model } = modelOf('v4', {
      ...said,
      structuredOutputText: '{"facts":[]}',
      finishReason: { unified: 'stop', raw: 'end_turn' },
      usage: { inputTokens: { total: 7, cacheRead: 3 }, outputTokens: { total: 2 } },
    })
    expect(await aiSdk(model).generate({ ...request, schema })).toEqual({
      text: '{"facts":[]}',
      finishReason: 'stop',
      usage: { inputTokens: 7, outputTokens: 2 },
    })
    const bare = modelOf('v3', {
      ...said,
      finishReason: { unified: 'error' },
      usage: { inputTokens: {}, outputTokens: {} },
    })
    expect(await aiSdk(bare.model).generate(request)).toEqual({ text: 'Hello', finishReason: 'other' })
  })

  it('[MOD-20] a provider that says that it takes no schemas gets them in words from then on', async () => {
    for (const warning of [
      { type: 'unsupported', feature: 'responseFormat' },
      { type: 'unsupported-setting', setting: 'responseFormat' },
    ]) {
      const { model, calls } = modelOf('v2', { ...said, finishReason: 'stop', usage: {}, warnings: [warning] })
      const asked = aiSdk(model)
      await asked.generate({ ...request, schema })
      await asked.generate({ ...request, schema })
      expect(calls.map(({ responseFormat }) => responseFormat)).toEqual(
        Array.from({ length: 2 }, () => ({ type: 'json', schema, name: 'answer' })),
      )
      expect(calls[0]!.prompt[0]!.content).toBe('Be brief.')
      expect(calls[1]!.prompt[0]!.content).toContain(JSON.stringify(schema))
    }
  })

  it('[MOD-20] what is no such model is BAD_CONFIG: a name, a model of version 4, nothing', () => {
    const { model } = modelOf('v1', said)
    for (const bad of ['openai/gpt-5-mini', model, {}, null, { ...model, specificationVersion: 'v2', doGenerate: 1 }]) {
      expect(() => aiSdk(bad as AiSdkModel)).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }))
    }
  })

  it('[MOD-20] errors tell status and name, and nothing of the request; what is no answer is MODEL_BAD_OUTPUT', async () => {
    const failures: [answer: object, expected: object][] = [
      [new TypeError('secret'), { code: 'MODEL_UNAVAILABLE', details: { model: 'ai-sdk:test:m', name: 'TypeError' } }],
      [{}, { code: 'MODEL_BAD_OUTPUT' }],
      [{ content: 'secret' }, { code: 'MODEL_BAD_OUTPUT' }],
    ]
    for (const [answer, expected] of failures) {
      const error = await aiSdk(modelOf('v2', answer).model)
        .generate(request)
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject(expected)
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('secret')
    }
  })
})

// A package that is installed for this test alone; by its name, so that types need not be there.
const provider = '@ai-sdk/openai-compatible'

describe('aiSdk with a provider of the AI SDK over HTTP', () => {
  let server: JsonServer
  let baseURL: string
  let bodies: Record<string, unknown>[]
  let answer: (response: ServerResponse) => void

  beforeEach(async () => {
    bodies = []
    server = await jsonServer<Record<string, unknown>>(({ body }, response) => {
      bodies.push(body)
      answer(response)
    })
    baseURL = server.baseUrl
  })

  afterEach(() => server.close())

  async function make(settings: object = {}) {
    const { createOpenAICompatible } = (await import(/* @vite-ignore */ provider)) as {
      createOpenAICompatible(settings: object): (modelId: string) => AiSdkModel
    }
    return aiSdk(createOpenAICompatible({ name: 'local', baseURL, apiKey: 'sk-secret', ...settings })('small'))
  }

  const completion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'small',
    choices: [{ index: 0, message: { role: 'assistant', content: '{"facts":[]}' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
  }

  it('[MOD-20] asks with the schema, and reads text and usage', async () => {
    answer = (response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(completion))
    const model = await make({ supportsStructuredOutputs: true })
    expect(model.id).toBe('ai-sdk:local.chat:small')
    expect(await model.generate({ ...request, schema })).toEqual({
      text: '{"facts":[]}',
      finishReason: 'stop',
      usage: { inputTokens: 7, outputTokens: 2 },
    })
    expect(bodies[0]).toMatchObject({
      model: 'small',
      max_tokens: 9,
      temperature: 0,
      response_format: { type: 'json_schema', json_schema: { schema, name: 'answer' } },
    })
    const plain = await make()
    await plain.generate({ ...request, schema })
    await plain.generate({ ...request, schema })
    expect(JSON.stringify(bodies[2]!.messages)).toContain('JSON Schema')
  })

  it('[MOD-20] 429 may be tried again after the time that it names, 401 may not, a hang-up may', async () => {
    const failureWith = async (respond: (response: ServerResponse) => void) => {
      answer = respond
      const error: unknown = await (await make()).generate(request).catch((thrown: unknown) => thrown)
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('secret')
      return error
    }
    expect(
      await failureWith((response) =>
        response.writeHead(429, { 'retry-after': '3' }).end('{"error":{"message":"secret"}}'),
      ),
    ).toMatchObject({ code: 'MODEL_UNAVAILABLE', details: { status: 429, retryAfterMs: 3_000 } })
    expect(await failureWith((response) => response.writeHead(401).end('secret'))).toMatchObject({
      code: 'BAD_CONFIG',
      details: { status: 401 },
    })
    const hangUp = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"choices":', () => response.destroy())
    }
    expect(await failureWith(hangUp)).toMatchObject({ code: 'MODEL_UNAVAILABLE' })
  })

  it('[MOD-20] a cancelled call throws the reason', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    answer = () => controller.abort(reason)
    const model = await make()
    await expect(model.generate({ ...request, signal: controller.signal })).rejects.toBe(reason)
  })
})
