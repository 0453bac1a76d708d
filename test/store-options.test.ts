import { describe, expect, it, vi } from 'vitest'
import { bolt } from '../src/stores/bolt/index.ts'
import { memory } from '../src/stores/memory/index.ts'
import { postgres, raiseWall } from '../src/stores/postgres/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { tiered } from '../src/stores/tiered/index.ts'

const secret = 'hush'.repeat(10)

/** Every store with options that are right, and a misspelt name of one of them. */
const stores: readonly (readonly [name: string, make: (options: never) => unknown, right: object, misspelt: string])[] =
  [
    ['sqlite', sqlite, { path: ':memory:', durability: 'full' }, 'durabilty'],
    ['postgres', postgres, { url: 'postgres://ann:hush@127.0.0.1:1/x', poolSize: 2, wall: { secret } }, 'poolsize'],
    ['bolt', bolt, { url: 'bolt://ann:hush@127.0.0.1:1', namespace: 'x' }, 'name'],
    ['redis', redis, { url: 'redis://ann:hush@127.0.0.1:1', ttlMs: 5000 }, 'ttl'],
    ['tiered', tiered, { hot: redis({ url: 'redis://127.0.0.1:1' }), cold: memory(), mode: 'session' }, 'maxwaiting'],
  ]

function refusal(make: () => unknown): unknown {
  try {
    make()
  } catch (error) {
    return error
  }
  return expect.unreachable('the options should have been refused')
}

describe('options of stores', () => {
  it.each(stores)(
    '[CTR-9] %s refuses an option that it does not know, and what is no object, by name and without values',
    (_, make, right, misspelt) => {
      vi.stubEnv('MNEME_WALL_SECRET', undefined)
      make(right as never)
      const unknown = refusal(() => make({ ...right, [misspelt]: 'hush' } as never))
      expect(unknown).toMatchObject({ code: 'BAD_CONFIG', message: expect.stringContaining(`"${misspelt}"`) })
      for (const name of Object.keys(right)) expect(String(unknown)).toContain(name)
      const address = refusal(() => make('redis://ann:hush@127.0.0.1' as never))
      expect(address).toMatchObject({ code: 'BAD_CONFIG', message: expect.stringContaining('must be an object') })
      expect(refusal(() => make(null as never))).toMatchObject({ code: 'BAD_CONFIG' })
      for (const error of [unknown, address]) expect(`${error} ${JSON.stringify(error)}`).not.toContain('hush')
      vi.unstubAllEnvs()
    },
  )

  it('[CTR-9] what is within the wall of PostgreSQL and what raiseWall takes is looked at, too', async () => {
    const url = 'postgres://127.0.0.1:1/x'
    expect(refusal(() => postgres({ url, wall: { secret, secrets: [] } as never }))).toMatchObject({
      code: 'BAD_CONFIG',
      message: expect.stringContaining('"secrets"'),
    })
    await expect(raiseWall({ url, role: 'app', secret, scheme: 'x' } as never)).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      message: expect.stringContaining('"scheme"'),
    })
    // Before what the misspelt one is: without a role it would be said that its name is empty.
    await expect(raiseWall({ url, roles: 'app', secret } as never)).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      message: expect.stringContaining('"roles"'),
    })
  })
})
