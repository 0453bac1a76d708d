import assert from 'node:assert/strict'
import type { HotCase } from '../hot-case.ts'

export const hotQueueCases: readonly HotCase[] = [
  {
    rule: 'HOT-70',
    title:
      'a queue gives its entries in the order of their coming, takes no more than its bound, and loses only the oldest by name',
    async run({ tier: { queue } }) {
      const odd = '\u0000 {"a":[1]} 🎻'
      assert.deepEqual([await queue.size(), await queue.peek(5), await queue.shift('a')], [0, [], false])
      for (const entry of ['a', 'a', odd]) assert.equal(await queue.push(entry, 3), true)
      assert.equal(await queue.push('d', 3), false)
      assert.equal(await queue.push('d', 4), true)
      assert.equal(await queue.size(), 4)
      assert.deepEqual(await queue.peek(3), ['a', 'a', odd])
      assert.deepEqual(await queue.peek(0), [])
      assert.equal(await queue.shift(odd), false)
      assert.equal(await queue.shift('a'), true)
      assert.equal(await queue.shift('a'), true)
      assert.equal(await queue.shift('a'), false)
      assert.equal(await queue.shift(odd), true)
      assert.deepEqual(await queue.peek(10), ['d'])
    },
  },
  {
    rule: 'HOT-71',
    title: 'entries outlive the instance that pushed them, and pushes of several are neither lost nor too many',
    needs: ['shared'],
    async run({ tier, openSecond }) {
      const second = await openSecond()
      const pushed = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? tier : second).queue.push(`e${i}`, 15)),
      )
      assert.equal(pushed.filter(Boolean).length, 15)
      assert.equal(await tier.queue.size(), 15)
      await second.close()
      assert.equal(new Set(await tier.queue.peek(100)).size, 15)
    },
  },
]
