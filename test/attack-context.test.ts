import { describe, expect, it } from 'vitest'
import { parseContext } from '../src/context/index.ts'
import { openMemory } from '../src/index.ts'
import { memory } from '../src/stores/memory/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { attacks } from './fixtures/attacks.ts'

// Everything that may stand in a memory, on its way into a prompt and back into a conversation.

const formats = ['markdown', 'xml', 'text'] as const
const scope = { userId: 'ann' }

async function attacked() {
  const engine = await openMemory({ store: memory(), scope, embedder: false, clock: fixedClock() })
  for (const [name, content] of Object.entries(attacks)) {
    await engine.add({ content, pinned: true, metadata: { name } })
  }
  return engine
}

describe('a memory full of attacks', () => {
  for (const format of formats) {
    it(`[FED-11] comes out of ${format} as it went in, memory by memory`, async () => {
      const engine = await attacked()
      const made = await engine.context('', { format, sections: ['pinned'], budget: { tokens: 100_000 } })
      const { items } = parseContext(made.text, format)
      const stored = await engine.getMany(made.items.map(({ id }) => id))
      expect(items.map(({ text }) => text)).toEqual(stored.map((record) => record?.content))
      expect(new Set([...made.items, ...made.omitted].map(({ id }) => id)).size).toBe(Object.keys(attacks).length)
      expect(made.omitted.every(({ why }) => why === 'duplicate')).toBe(true)
      await engine.close()
    })

    it(`[FED-12] teaches nothing when ${format} comes back in a turn; what stands beside it is learnt`, async () => {
      const engine = await attacked()
      await engine.add({ content: 'My favourite colour is green.', pinned: true })
      await engine.add({ content: 'I live in Oslo.', pinned: true })
      const { text } = await engine.context('', { format, sections: ['pinned'], budget: { tokens: 100_000 } })
      const quoted = text.replaceAll('\n', '\n> ')
      for (const recalled of [text, `> ${quoted}`, JSON.stringify({ text })]) {
        const { plan } = await engine.learn(
          [{ role: 'user', content: `You told me:\n\n${recalled}\n\nI live in Rome.` }],
          {
            dryRun: true,
          },
        )
        const taught = plan.steps.map(({ after }) => after?.content ?? '').join('\n')
        expect(taught).toContain('Rome')
        expect(taught).not.toMatch(/Oslo|green|instructions|mneme/)
      }
      await engine.close()
    })
  }
})
