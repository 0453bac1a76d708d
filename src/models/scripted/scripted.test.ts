import { describe, expect, it } from 'vitest'
import { ModelError } from '../../errors/index.ts'
import { scripted } from './index.ts'

const request = { messages: [{ role: 'user' as const, content: 'What?' }] }

describe('scripted', () => {
  it('[MOD-7] answers in order: texts, JSON, usage, functions, later ones and errors; what it was asked is kept', async () => {
    const failure = new ModelError({ code: 'MODEL_UNAVAILABLE', message: 'away' })
    const generated = { text: 'cut', usage: { inputTokens: 3, outputTokens: 1 }, finishReason: 'length' as const }
    const model = scripted([
      'prose',
      { facts: [] },
      [1],
      { generated },
      ({ messages }) => `you said ${messages[0]?.content}`,
      { delayMs: 1, answer: { later: true } },
      failure,
    ])
    expect(model.id).toBe('scripted')
    const texts: string[] = []
    for (let i = 0; i < 3; i++) texts.push((await model.generate(request)).text)
    expect(texts).toEqual(['prose', '{"facts":[]}', '[1]'])
    expect(await model.generate(request)).toEqual(generated)
    expect((await model.generate(request)).text).toBe('you said What?')
    expect((await model.generate({ ...request, system: 'Be brief' })).text).toBe('{"later":true}')
    await expect(model.generate(request)).rejects.toBe(failure)
    await expect(model.generate(request)).rejects.toMatchObject({ code: 'MODEL_BAD_OUTPUT', details: { answers: 7 } })
    expect(model.requests).toHaveLength(8)
    expect(model.requests[5]).toEqual({ ...request, system: 'Be brief' })
  })

  it('[MOD-7] a script that is one function answers every call', async () => {
    const model = scripted(({ messages }) => ({ n: messages.length }), { id: 'echo' })
    expect((await model.generate(request)).text).toBe('{"n":1}')
    expect((await model.generate(request)).text).toBe('{"n":1}')
    expect(model.id).toBe('echo')
  })

  it('[MOD-7] a cancelled call throws the reason, also while it waits', async () => {
    const reason = new Error('enough')
    const model = scripted([{ delayMs: 60_000, answer: 'late' }])
    const controller = new AbortController()
    const waiting = model.generate({ ...request, signal: controller.signal })
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(model.generate({ ...request, signal: controller.signal })).rejects.toBe(reason)
    expect(model.requests).toHaveLength(1)
  })
})
