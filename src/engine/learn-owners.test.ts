import { expect, it } from 'vitest'
import { learningStores, openLearning, user } from '../../test/fixtures/learning.ts'

const owners = [
  'ann',
  'Ann',
  'ann%',
  'ann_',
  'a*',
  '*',
  "ann' OR 1=1 --",
  'a"nn',
  'ann/../bob',
  '__proto__',
  'constructor',
  '😀',
]

const letters = owners.map((_, i) => String.fromCharCode(65 + i))

it.each(Object.entries(learningStores))(
  '[LRN-10] [CFL-9] owners of hostile names on the %s store: none reads, counts, quotes or changes what another one said',
  async (_, makeStore) => {
    const { memory } = await openLearning({ store: makeStore() })
    const scopes = owners.map((userId) => ({ scope: { userId } }))
    for (const [i, scope] of scopes.entries()) {
      await memory.learn([user(`I live in Town${letters[i]}ville.`), user(`I like thing${letters[i]}s.`)], scope)
      await memory.learn(`I moved to Port${letters[i]}ville.`, { ...scope, onConflict: 'ask' })
    }
    for (const [i, scope] of scopes.entries()) {
      const shown = [
        (await memory.list({ ...scope, status: 'any' })).records,
        await memory.conflicts.list(scope),
        await memory.summarize(scope),
        await memory.consolidate({ ...scope, dryRun: true }),
        await memory.context('Where do I live?', { ...scope, budget: { tokens: 1000 } }),
        await memory.learn('I live in Oslo. I like chess.', { ...scope, dryRun: true }),
      ]
      expect((await memory.conflicts.list(scope)).conflicts).toHaveLength(1)
      expect((await memory.stats(scope)).total).toBe((shown[0] as unknown[]).length)
      for (const letter of letters) {
        if (letter !== letters[i])
          expect(JSON.stringify(shown)).not.toMatch(new RegExp(`${letter}ville|thing${letter}s`))
      }
      expect(await memory.facts.get('user.home', scope)).toBe(`Town${letters[i]}ville`)
    }
    expect((await memory.verify()).ok).toBe(true)
  },
)
