import { describe, expect, it } from 'vitest'
import { openMemory } from '../src/index.ts'

const options = { path: ':memory:', scope: { userId: 'ann' }, embedder: false } as const
/** Bounds a promise that a fault would leave open. */
const settled = (promise: Promise<unknown>) =>
  Promise.race([promise.then(() => 'settled'), new Promise((resolve) => setTimeout(resolve, 2000, 'open'))])

describe('closing', () => {
  it('[OPN-11] Every close and stop is answered, also several at once with work in hand.', async () => {
    const memory = await openMemory(options)
    await memory.add('one')
    const work = memory.add('two')
    const all = [memory.stop(), memory.close(), memory.close(), work]
    expect(await Promise.all(all.map(settled))).toEqual(['settled', 'settled', 'settled', 'settled'])
  })

  it('[OPN-12] Close ends a watch and an export that nobody reads on.', async () => {
    const memory = await openMemory(options)
    await memory.add('one')
    const watch = memory.watch()[Symbol.asyncIterator]()
    const waiting = watch.next().catch(() => undefined)
    const lines = memory.export()[Symbol.asyncIterator]()
    await lines.next()
    expect(await settled(memory.close())).toBe('settled')
    expect(await settled(Promise.resolve(waiting))).toBe('settled')
  })

  it('[OPN-13] Close does not wait for an embedder that never answers in the background.', async () => {
    let answers: 'vectors' | 'failure' | 'nothing' = 'failure'
    let asked: () => void = () => {}
    const inBackground = new Promise<void>((resolve) => (asked = resolve))
    const memory = await openMemory({
      ...options,
      embedder: {
        id: 'hanging',
        dimensions: 2,
        embed: () => {
          if (answers === 'failure') return Promise.reject(new Error('down'))
          asked()
          return new Promise(() => {})
        },
      },
    })
    await memory.add('one')
    answers = 'nothing'
    await inBackground
    expect(await settled(memory.close())).toBe('settled')
  })
})
