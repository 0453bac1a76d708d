import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { rawRedis } from './fixtures/redis-keys.ts'
import { freshName, redisUrl } from './fixtures/servers.ts'
import { buildChildren, type Child } from './fixtures/sqlite-children.ts'

// Processes that fill, write and remove the same few records through one hot tier. What it says never falls behind the store behind it.

const url = await redisUrl()
const children = url === null ? null : await buildChildren('hot-child.ts')
afterAll(() => children?.remove())

interface Counts {
  readonly hit: number
  readonly gone: number
  readonly miss: number
}

async function countsOf(child: Child): Promise<Counts> {
  expect(await child.ended, child.lines.join('\n')).toBe(0)
  expect(child.lines.filter((line) => line.startsWith('violation'))).toEqual([])
  return JSON.parse((child.lines.at(-1) ?? '').replace('done ', '')) as Counts
}

describe.skipIf(url === null)('processes over one Redis', () => {
  const start = (prefix: string, promise: string, rounds: number) =>
    (children as NonNullable<typeof children>).start(url as string, prefix, promise, String(rounds))

  it('[RDS-22] no read falls behind what was committed, though a process dies in the middle of its writes', async () => {
    const prefix = freshName()
    const [one, two, dying] = [
      start(prefix, 'committed', 150),
      start(prefix, 'committed', 150),
      start(prefix, 'committed', 1e6),
    ]
    for (const child of [one, two, dying]) await child.nextLine()
    await wait(500)
    dying.process.kill('SIGKILL')
    await dying.ended
    expect(dying.lines.filter((line) => line.startsWith('violation'))).toEqual([])
    for (const child of [one, two]) {
      const { hit, miss } = await countsOf(child)
      expect(hit).toBeGreaterThan(0)
      expect(miss).toBeGreaterThan(0)
    }
  })

  it('[RDS-23] no read falls behind what a writer was told is done, though keys of every kind vanish all the time', async () => {
    const prefix = freshName()
    const raw = await rawRedis(url as string)
    const workers = [start(prefix, 'acknowledged', 120), start(prefix, 'acknowledged', 120)]
    let isOver = false
    const kinds = new Set<string>()
    const vanishing = (async () => {
      while (!isOver) {
        const keys = (await raw.keys(`${prefix}:`)).filter(() => Math.random() < 0.3)
        for (const key of keys)
          kinds.add(
            key
              .replace(/\{.*?\}/, '')
              .replace(`${prefix}:1:`, '')
              .replace(/:[abc]$/, ''),
          )
        await raw.drop(keys)
        await wait(Math.random() * 5)
      }
    })()
    let counts: Awaited<ReturnType<typeof countsOf>>[]
    try {
      counts = await Promise.all(workers.map(countsOf))
    } finally {
      isOver = true
      await vanishing
      await raw.close()
    }
    expect(counts.reduce((sum, { hit }) => sum + hit, 0)).toBeGreaterThan(0)
    expect([...kinds].sort()).toEqual([
      ':all',
      ':entry',
      'epoch',
      'id',
      'owners',
      expect.stringContaining('owners:user'),
    ])
  })
})
