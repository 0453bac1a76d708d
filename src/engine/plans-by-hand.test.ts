import { describe, expect, it } from 'vitest'
import { everythingIn, learningStores, openLearning } from '../../test/fixtures/learning.ts'
import type { MemoryRecord } from '../model/index.ts'
import { scripted } from '../models/scripted/index.ts'
import type { MemoryEngine, Plan } from './index.ts'

interface Edited {
  readonly op: string
  readonly reason: string
  readonly evidence: readonly { readonly message: string; readonly quote: string }[]
  before?: Record<string, unknown>
  readonly after: Record<string, unknown>
}

interface Given {
  readonly memory: MemoryEngine
  readonly known: MemoryRecord
  /** Of the plan that a change of home makes: the turn, the old home, the new one. */
  readonly steps: Edited[]
  readonly conflict: Edited
}

const bob = { scope: { userId: 'bob' } }

describe.each(Object.entries(learningStores))('plans edited by hand on the %s store', (_, makeStore) => {
  async function open(onConflict: 'newest' | 'ask'): Promise<Given & { plan: Plan; others: () => Promise<string> }> {
    const { memory } = await openLearning({ store: makeStore() })
    await memory.facts.set('user.home', 'Paris', bob)
    await memory.learn('I live in Bonn.')
    const known = (await memory.list({ kinds: ['semantic'] })).records[0] as MemoryRecord
    const dry = await memory.learn('I moved to Kiel.', { dryRun: true, onConflict })
    const plan = JSON.parse(JSON.stringify(dry.plan)) as Plan
    const steps = plan.steps as unknown as Edited[]
    const conflict = steps.find(({ op }) => op === 'conflict') as Edited
    const others = async () => JSON.stringify((await memory.list({ status: 'any', ...bob })).records)
    return { memory, known, plan, steps, conflict, others }
  }

  it.each<[string, (given: Given) => void]>([
    [
      'supersedes itself',
      ({ steps, known }) => void Object.assign((steps[1] as Edited).after, { supersededBy: known.id }),
    ],
    [
      'supersedes its successor',
      ({ steps }) => void Object.assign((steps[1] as Edited).after, { supersedes: steps[2]?.after.id }),
    ],
    [
      'has a successor that supersedes itself',
      ({ steps }) => void Object.assign((steps[2] as Edited).after, { supersedes: steps[2]?.after.id }),
    ],
    ['changes its kind', ({ steps }) => void Object.assign((steps[1] as Edited).after, { kind: 'episodic' })],
    ['has a reason without end', ({ steps }) => void Object.assign(steps[0] as Edited, { reason: 'r'.repeat(65_537) })],
    [
      'has a quote without end',
      ({ steps }) =>
        void Object.assign(steps[0] as Edited, { evidence: [{ message: 'm', quote: 'q'.repeat(1_000_001) }] }),
    ],
    [
      'has evidence without end',
      ({ steps }) =>
        void Object.assign(steps[0] as Edited, { evidence: Array(10_001).fill({ message: 'm', quote: 'q' }) }),
    ],
  ])('[PLN-6] a record that %s is refused, and nothing is written', async (_, edit) => {
    const given = await open('newest')
    const before = await everythingIn(given.memory)
    edit(given)
    await expect(given.memory.apply(given.plan)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:INVALID_ARGUMENT|LIMIT_OUT_OF_RANGE)$/),
    })
    expect(await everythingIn(given.memory)).toEqual(before)
  })

  it.each<[string, (given: Given) => Promise<void> | void]>([
    [
      'with another owner’s record',
      async ({ memory, conflict }) => {
        conflict.before = { ...conflict.before, id: (await memory.facts.entry('user.home', bob))?.id, version: 1 }
      },
    ],
    ['with itself', ({ conflict }) => void Object.assign(conflict.after, { id: conflict.before?.id })],
    [
      'with the same words',
      ({ conflict }) =>
        void Object.assign(conflict.after, { content: conflict.before?.content, data: conflict.before?.data }),
    ],
    ['in another owner’s scope', ({ conflict }) => void Object.assign(conflict.after, { scope: { userId: 'bob' } })],
    ['of nothing', ({ conflict }) => void delete conflict.before],
  ])('[CFL-10] a conflict %s is refused, and nothing is written', async (_, edit) => {
    const given = await open('ask')
    const [before, theirs] = [await everythingIn(given.memory), await given.others()]
    await edit(given)
    await expect(given.memory.apply(given.plan)).rejects.toMatchObject({
      name: expect.stringMatching(/Error$/),
      code: expect.any(String),
    })
    expect(await everythingIn(given.memory)).toEqual(before)
    expect(await given.others()).toBe(theirs)
    expect(
      (await given.memory.conflicts.list({ allScopes: true } as never).catch(() => ({ conflicts: [] }))).conflicts,
    ).toEqual([])
  })

  it.each<[string, object]>([
    ['under the same id', {}],
    ['under another id', { id: 'another' }],
  ])('[CFL-3] a conflict that a plan holds twice, %s, is opened once', async (_, more) => {
    const { memory, plan, steps, conflict } = await open('ask')
    steps.push({ ...conflict, after: { ...conflict.after, ...more } })
    const { results } = await memory.apply(plan)
    expect(results).toHaveLength(steps.length)
    expect((await memory.conflicts.list()).conflicts).toHaveLength(1)
    expect((await memory.list({ status: ['quarantined'] })).records).toHaveLength(1)
  })
})

it('[CFL-13] what a tool says and the user says after it, in one call, waits nowhere; both speak for it', async () => {
  const fact = (content: string, turn: number, quote: string) => ({
    content,
    kind: 'semantic',
    subject: 'user',
    attribute: 'home',
    value: 'Rome',
    effect: 'asserts',
    evidence: [{ turn, quote }],
  })
  const facts = [
    fact('The user lives in Rome', 1, 'lives in Rome'),
    fact('The user has moved to Rome', 2, 'moved to Rome'),
  ]
  const { memory } = await openLearning({ model: scripted([{ facts }, { decisions: [] }]) })
  await memory.learn('I live in Bonn.', { mode: 'rules' })
  const { plan } = await memory.learn(
    [
      { role: 'tool', content: 'The user lives in Rome, says the register.' },
      { role: 'user', content: 'Right, I moved to Rome.' },
    ],
    { mode: 'model' },
  )
  expect(await memory.facts.get('user.home')).toBe('Rome')
  expect((await memory.list({ status: ['quarantined'] })).records).toEqual([])
  const told = plan.steps.flatMap(({ evidence }) => evidence.map(({ message }) => message))
  expect(new Set(told)).toEqual(new Set(['messages[0]', 'messages[1]']))
})
