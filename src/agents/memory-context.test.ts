import { setImmediate, setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openMemory } from '../engine/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { memoryContext } from './index.ts'

const open = () => openMemory({ store: memoryStore(), embedder: false })
const scopeNow = () => memoryContext.current()?.scope

it('[CTX-1] code in a run sees the memory of the run without being handed it, after awaits and in timers', async () => {
  const engine = await open()
  const scope = { userId: 'ann', sessionId: 's1' }
  const recall = async () => {
    await setTimeout(1)
    return memoryContext.current()?.facts.get('city')
  }
  const answer = await memoryContext.run({ engine, scope }, async () => {
    await memoryContext.current()?.facts.set('city', 'Bremen')
    await setImmediate()
    return recall()
  })
  expect(answer).toBe('Bremen')
  expect(await engine.facts.get('city', { scope })).toBe('Bremen')
  // The scope of the run is a ceiling.
  const outside = memoryContext.run({ engine, scope }, () =>
    memoryContext.current()?.list({ scope: { userId: 'bob' } }),
  )
  await expect(outside).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
  expect(memoryContext.run({ engine, scope }, () => 7)).toBe(7)
  await engine.close()
})

it('[CTX-1] many runs that go on at once, with steps in any order, are never mixed', async () => {
  const engines = await Promise.all([open(), open()])
  const runs = fc.array(fc.array(fc.constantFrom('tick', 'immediate', 'timer', 'write'), { maxLength: 6 }), {
    minLength: 2,
    maxLength: 40,
  })
  let round = 0
  await fc.assert(
    fc.asyncProperty(runs, async (plans) => {
      round++
      const seen = await Promise.all(
        plans.map((steps, i) => {
          const engine = engines[i % 2] as (typeof engines)[0]
          const scope = { userId: `user ${round} ${i}` }
          return memoryContext.run({ engine, scope }, async () => {
            const scopes = [scopeNow()]
            for (const step of steps) {
              if (step === 'tick') await Promise.resolve()
              else if (step === 'immediate') await setImmediate()
              else if (step === 'timer') await setTimeout(i % 3)
              else await memoryContext.current()?.kv.put([], 'mine', i)
              scopes.push(scopeNow())
            }
            const mine = await memoryContext.current()?.kv.get([], 'mine')
            return { scopes, right: steps.includes('write') ? mine?.value === i : mine === null }
          })
        }),
      )
      expect(scopeNow()).toBeUndefined()
      for (const [i, { scopes, right }] of seen.entries()) {
        expect(new Set(scopes.map((scope) => scope?.userId))).toEqual(new Set([`user ${round} ${i}`]))
        expect(right).toBe(true)
      }
    }),
    { numRuns: 25 },
  )
  for (const engine of engines) await engine.close()
})

it('[CTX-2] after a run, also one that failed, nothing of it is left; a run inside a run has its own', async () => {
  const engine = await open()
  expect(memoryContext.current()).toBeNull()
  const failing = memoryContext.run({ engine, scope: { userId: 'ann' } }, async () => {
    await setImmediate()
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  expect(() =>
    memoryContext.run({ engine, scope: { userId: 'ann' } }, () => {
      throw new Error('at once')
    }),
  ).toThrow('at once')
  expect(memoryContext.current()).toBeNull()
  await memoryContext.run({ engine, scope: { userId: 'ann' } }, async () => {
    await memoryContext.run({ engine, scope: { userId: 'bob' } }, async () => {
      await setImmediate()
      expect(scopeNow()).toEqual({ userId: 'bob' })
    })
    expect(scopeNow()).toEqual({ userId: 'ann' })
  })
  expect(() => memoryContext.run({ engine, scope: {} }, () => 1)).toThrow()
  expect(memoryContext.current()).toBeNull()
  await engine.close()
})

it('[CTX-2] what is no run is refused, and nothing of it begins', async () => {
  const engine = await open()
  for (const run of [
    null,
    'ann',
    { engine, scope: { userId: 'ann' }, more: 1 },
    { scope: { userId: 'ann' } },
    { engine },
  ])
    expect(() => memoryContext.run(run as never, () => 1)).toThrow(/memoryContext.run|scope/)
  expect(memoryContext.current()).toBeNull()
})
