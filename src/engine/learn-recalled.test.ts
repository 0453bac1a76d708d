import { describe, expect, it } from 'vitest'
import { ann, day, factsIn, openLearning, user } from '../../test/fixtures/learning.ts'
import { renderContext } from '../context/index.ts'
import type { MessageInput, OpenMemoryOptions } from './index.ts'

describe('learn and what was recalled', () => {
  const known = ['Ann is allergic to hazelnuts', 'Ann plays the cello in the town orchestra']
  const answers = (content: string, role: 'assistant' | 'tool' = 'assistant'): MessageInput => ({ role, content })

  async function openKnowing(options: { readonly embedder?: OpenMemoryOptions['embedder'] } = {}) {
    const { memory } = await openLearning(options)
    await memory.addMany(known)
    await memory.facts.set('user.home', 'Bonn')
    return memory
  }

  it('[GRD-4] a block of context that comes back teaches nothing, whoever sends it back', async () => {
    const memory = await openKnowing()
    for (const format of ['markdown', 'xml', 'text'] as const) {
      const items = known.map((text) => ({ section: 'facts' as const, text }))
      const text = renderContext(items, { format, cite: true })
      expect(text).toContain('hazelnuts')
      const { plan, ignored } = await memory.learn([
        user(`${text}\n\nWhat may I cook?`),
        answers(text, 'tool'),
        answers(`> ${text.replaceAll('\n', '\n> ')}`),
      ])
      expect(ignored.map(({ message, reason }) => [message, reason])).toEqual([
        ['messages[1]', 'recalled'],
        ['messages[2]', 'recalled'],
      ])
      expect(plan.steps.map(({ before, after }) => (after ?? before)?.content)).toEqual(['What may I cook?'])
    }
    expect((await memory.list()).records).toHaveLength(4)
  })

  it.each([
    ['with an embedder', {}],
    ['without one', { embedder: false as const }],
  ])('[GRD-5] what an assistant or a tool says that is a memory, letter by letter, %s', async (_, options) => {
    const memory = await openKnowing({ embedder: undefined, ...options })
    const { plan, ignored } = await memory.learn([answers(known[0] as string), answers(known.join('\n'), 'tool')])
    expect(plan.steps).toEqual([])
    expect(ignored).toEqual([
      { message: 'messages[0]', reason: 'recalled' },
      { message: 'messages[1]', reason: 'recalled' },
    ])
  })

  it('[GRD-6] in other words too; what is new beside it is learnt, and the answer says what was left out', async () => {
    const memory = await openKnowing()
    const { plan, ignored } = await memory.learn([
      answers(
        'You told me that you are allergic to hazelnuts, right? The bakery closes at six. Let me know if you need anything else!',
      ),
      answers('1. Ann plays the cello in the town orchestra (score 0.91)\n2. user.home: Bonn (score 0.5)', 'tool'),
    ])
    expect(ignored).toEqual([
      {
        message: 'messages[0]',
        reason: 'recalled',
        quote: 'You told me that you are allergic to hazelnuts, right?',
      },
      { message: 'messages[1]', reason: 'recalled' },
    ])
    expect(plan.steps.map(({ after, evidence }) => [after?.content, evidence])).toEqual([
      [
        'The bakery closes at six. Let me know if you need anything else!',
        [{ message: 'messages[0]', quote: 'The bakery closes at six. Let me know if you need anything else!' }],
      ],
    ])
  })

  it('[GRD-7] what a user says is never taken for recalled: the same fact said again confirms the one that is there', async () => {
    const { memory, clock } = await openLearning()
    await memory.learn([user('I live in Bonn', { at: '2026-01-01T10:00:00Z' })])
    clock.advance(day)
    const { plan, ignored } = await memory.learn([user('I live in Bonn', { at: '2026-02-01T10:00:00Z' })])
    expect(ignored).toEqual([])
    expect(plan.steps.map(({ op, after }) => [op, after?.kind])).toEqual([
      ['add', 'episodic'],
      ['update', 'semantic'],
    ])
    expect(await factsIn(memory)).toEqual(['The user lives in Bonn'])
  })

  it('[GRD-8] what other scopes hold is not recalled here', async () => {
    const memory = await openKnowing()
    const { ignored, plan } = await memory.learn([answers(known[0] as string)], { scope: { userId: 'bob' } })
    expect(ignored).toEqual([])
    expect(plan.steps).toHaveLength(1)
    // Of the user whom a session is of, it is.
    const session = await memory.learn([answers(known[0] as string)], { scope: { ...ann, sessionId: 's' } })
    expect(session.ignored.map(({ reason }) => reason)).toEqual(['recalled'])
  })
})
