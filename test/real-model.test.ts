import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openAICompatible as embedderOver } from '../src/embedders/openai-compatible/index.ts'
import { askModel, type ModelTask } from '../src/engine/ask-model.ts'
import { openMemory } from '../src/engine/index.ts'
import { type AiSdkModel, aiSdk } from '../src/models/ai-sdk/index.ts'
import { type OpenAICompatibleOptions, openAICompatible } from '../src/models/openai-compatible/index.ts'
import { openModelCore } from './fixtures/model-core.ts'
import { type SmallModel, smallModelIfThere } from './fixtures/small-model.ts'

// A real language model, far too small to be right: what it says is garbage, and how it says it is what servers do.

const scope = { userId: 'ann' }
const fact = z.strictObject({ content: z.string().min(1).max(200), message: z.int().min(0).max(1) })
const schema = z.strictObject({ facts: z.array(fact).max(4) })
const extract: ModelTask<z.infer<typeof schema>> = {
  name: 'extract',
  system: 'Extract what the messages say of the user, as JSON.',
  messages: [{ role: 'user', content: '0: I moved to Bonn last week.\n1: My sister Eva plays the cello.' }],
  schema,
  maxTokens: 32,
}
const story = { messages: [{ role: 'user' as const, content: 'Tell a long story about a cellist.' }] }
// A busy machine is slow, and not what is tested.
const minutes = 60_000
const patient = { timeoutMs: 5 * minutes, totalTimeoutMs: 10 * minutes }

let small: SmallModel | null
beforeAll(async () => {
  small = await smallModelIfThere(`test-${process.pid}`)
}, 5 * minutes)
afterAll(() => small?.stop())

function modelOf(options: Partial<OpenAICompatibleOptions> = {}) {
  const { baseUrl, model, apiKey } = small as SmallModel
  return openAICompatible({ baseUrl, model, apiKey, ...options })
}

/** A test that needs the model, and is skipped where there is none. */
function withModel(title: string, run: () => Promise<void>): void {
  it(title, { timeout: 5 * minutes }, async ({ skip }) => {
    if (small === null) skip()
    await run()
  })
}

/** Has a model that would go round in circles say little: short texts, one item a list. What it says is as wrong as before. */
const terse: typeof fetch = (url, init) => {
  const body = JSON.parse(String(init?.body), (_, value: unknown) => {
    const { type } = (value ?? {}) as { type?: unknown }
    if (type === 'string' && !('enum' in (value as object))) return { ...(value as object), maxLength: 30 }
    return type === 'array' ? { ...(value as object), maxItems: 1 } : value
  }) as object
  return fetch(url, { ...init, body: JSON.stringify({ ...body, max_tokens: 250 }) })
}

describe('a real language model', () => {
  withModel('[MOD-11] holds its answer to a JSON schema, whole and streamed, with its usage', async () => {
    for (const stream of [false, true]) {
      const { core, close } = await openModelCore(modelOf({ stream }), patient)
      const outcome = await askModel(core, scope, extract)
      expect(outcome.usage).toMatchObject({ estimated: 0 })
      expect(outcome.usage.inputTokens).toBeGreaterThan(20)
      expect(outcome.usage.outputTokens).toBeGreaterThan(3)
      // It is held to the form, not to the truth, nor to bounds: what does not fit is told, and nothing of it used.
      if (outcome.ok) expect(schema.parse(outcome.value)).toEqual(outcome.value)
      else expect(outcome.degraded.code).toBe('MODEL_BAD_OUTPUT')
      await close()
    }
  })

  withModel('[MOD-12] a streamed answer is read to its end, and is the same as the whole one', async () => {
    const request = { ...story, maxTokens: 24, temperature: 0 }
    const whole = await modelOf().generate(request)
    const streamed = await modelOf({ stream: true }).generate(request)
    expect(whole.text.length).toBeGreaterThan(20)
    expect(streamed).toMatchObject({ text: whole.text, finishReason: whole.finishReason })
    expect(streamed.usage?.outputTokens).toBe(whole.usage?.outputTokens)
  })

  withModel('[MOD-20] answers through a provider of the AI SDK too', async () => {
    const { baseUrl, model, apiKey } = small as SmallModel
    // By its name, so that its types need not be there.
    const provider = '@ai-sdk/openai-compatible'
    const { createOpenAICompatible } = (await import(/* @vite-ignore */ provider)) as {
      createOpenAICompatible(settings: object): (modelId: string) => AiSdkModel
    }
    const settings = { name: 'small', baseURL: baseUrl, apiKey, supportsStructuredOutputs: true }
    const answer = await aiSdk(createOpenAICompatible(settings)(model)).generate({
      ...story,
      schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      maxTokens: 24,
    })
    expect(answer.text).toMatch(/^\s*\{\s*"title"/)
    expect(answer.usage?.outputTokens).toBeGreaterThan(3)
  })

  withModel('[MOD-2] an answer that is cut off is told and never used', async () => {
    const { core, close } = await openModelCore(modelOf(), patient)
    const outcome = await askModel(core, scope, { ...extract, maxTokens: 6 })
    expect(outcome).toMatchObject({
      ok: false,
      degraded: { code: 'MODEL_BAD_OUTPUT', message: expect.stringContaining('cut off') },
      usage: { calls: 2 },
    })
    const text = await askModel(core, scope, { name: 'tell', system: 'Tell.', ...story, maxTokens: 6 })
    expect(text).toMatchObject({ ok: true, isCutOff: true })
    await close()
  })

  withModel('[MOD-2] prose where JSON was asked for is told, when nothing holds it to a form', async () => {
    // A server that passes over response_format.
    const forgetful: typeof fetch = (url, init) => {
      const { response_format: _, ...body } = JSON.parse(String(init?.body)) as Record<string, unknown>
      return fetch(url, { ...init, body: JSON.stringify(body) })
    }
    const { core, close } = await openModelCore(modelOf({ fetch: forgetful }), patient)
    const outcome = await askModel(core, scope, { ...extract, system: 'Tell a story.', maxTokens: 12 })
    expect(outcome).toMatchObject({ ok: false, degraded: { code: 'MODEL_BAD_OUTPUT' } })
    expect(JSON.stringify(outcome)).not.toMatch(/Bonn|cello/)
    await close()
  })

  withModel('[MOD-13] a wrong key is BAD_CONFIG that says so', async () => {
    const { core, close } = await openModelCore(modelOf({ apiKey: 'another' }), patient)
    const outcome = await askModel(core, scope, extract)
    expect(outcome).toMatchObject({
      ok: false,
      degraded: { code: 'BAD_CONFIG', message: expect.stringContaining('apiKey') },
    })
    await close()
  })

  withModel('[EMB-7] its embeddings are vectors that can be searched with', async () => {
    const { baseUrl, model, apiKey } = small as SmallModel
    const embedder = embedderOver({ baseUrl, model, apiKey, dimensions: 576, timeoutMs: 5 * minutes })
    const vectors = await embedder.embed(['Ann sings', 'Ben cooks'], { purpose: 'document' })
    expect(vectors.map(({ length }) => length)).toEqual([576, 576])
    expect(vectors[0]).not.toEqual(vectors[1])
  })

  withModel(
    '[MOD-5] a caller who has heard enough is let go in the middle of an answer, and the next one is served',
    async () => {
      const controller = new AbortController()
      const cutting: typeof fetch = async (...request) => {
        const response = await fetch(...request)
        controller.abort(new Error('enough'))
        return response
      }
      const { core, close } = await openModelCore(modelOf({ stream: true, fetch: cutting }), patient)
      const task = { name: 'tell', system: 'Tell.', ...story, maxTokens: 1_000, signal: controller.signal }
      await expect(askModel(core, scope, task)).rejects.toThrow('enough')
      await close()
      expect(await modelOf().generate({ ...story, maxTokens: 3 })).toMatchObject({ finishReason: 'length' })
    },
  )

  withModel(
    '[MOD-21] what it says wrongly harms no memory: what was known stays, and what is told of turns is in them',
    async () => {
      const model = modelOf({ fetch: terse })
      const memory = await openMemory({ path: ':memory:', scope, model, modelLimits: { ...patient, retries: 0 } })
      await memory.facts.set('user.employer', 'the harbour office')
      await memory.add({ content: 'Eva plays the cello in Kiel', pinned: true })
      const all = async () => (await memory.list({ status: 'any', limit: 1000 })).records
      const contents = async () => (await all()).map(({ content }) => content).sort()
      const before = await all()
      const turns = [
        { role: 'user' as const, content: 'I moved to Bonn last week and began to learn Dutch.', name: 'Ann' },
        { role: 'assistant' as const, content: 'Congratulations! How is Bonn?' },
        { role: 'user' as const, content: 'Fine, but I miss the harbour.', name: 'Ann' },
      ]
      const learned = await memory.learn(turns)
      for (const { message, quote } of learned.plan.steps.flatMap(({ evidence }) => evidence)) {
        expect(turns[Number(/^messages\[(\d+)\]$/.exec(message)?.[1])]?.content).toContain(quote)
      }
      const after = await all()
      for (const { id, content } of before) {
        expect(after.find((record) => record.id === id)).toMatchObject({ content, status: 'live' })
      }
      const { text, sources } = await memory.summarize({ limit: 5 })
      expect(text).not.toBe('')
      expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining([...sources]))
      // What it merges hides memories in favour of one that says what they say, and nothing goes.
      const tidied = await memory.consolidate()
      const tidy = await all()
      for (const { id, content } of after) {
        const now = tidy.find((record) => record.id === id)
        expect(now?.content).toBe(content)
        if (now?.status === 'superseded') expect(tidy.find((one) => one.id === now.supersededBy)?.status).toBe('live')
      }
      if (tidied.tx !== undefined) await memory.undo(tidied.tx)
      expect((await memory.usage()).total.calls).toBeGreaterThan(0)
      expect(await memory.verify()).toMatchObject({ ok: true })
      if (learned.tx !== undefined) await memory.undo(learned.tx)
      expect(await contents()).toEqual(before.map(({ content }) => content).sort())
      await memory.close()
    },
  )

  withModel(
    '[MOD-12] a server that hangs up in the middle of an answer is MODEL_UNAVAILABLE, after all attempts',
    async () => {
      let requests = 0
      const killing: typeof fetch = async (...request) => {
        requests++
        const response = await fetch(...request)
        // The answer has begun: its head is here, and a thousand tokens take longer than this.
        await small?.kill()
        return response
      }
      const limits = { ...patient, retries: 1 }
      const { core, close } = await openModelCore(modelOf({ stream: true, fetch: killing }), limits)
      const outcome = await askModel(core, scope, { name: 'tell', system: 'Tell.', ...story, maxTokens: 1_000 })
      expect(outcome).toMatchObject({
        ok: false,
        degraded: { stage: 'model', code: 'MODEL_UNAVAILABLE' },
        // What broke off counts as if it had gone on; the attempt that met no server does not.
        usage: { calls: 1, estimated: 1, outputTokens: 1_000 },
      })
      expect(requests).toBe(2)
      await close()
    },
  )
})
