import { symlink } from 'node:fs/promises'
import { relative } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import { type MigrateStoreOptions, migrateStore } from '../src/index.ts'
import { allScopes } from '../src/model/index.ts'
import { bolt } from '../src/stores/bolt/index.ts'
import { memory } from '../src/stores/memory/index.ts'
import { postgres } from '../src/stores/postgres/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { put, transaction, unitVector } from '../src/testing/index.ts'
import { assertSame, everythingOf, writeRichMemory, writeSteps } from './fixtures/migrations.ts'
import { boltUrl, freshName, postgresUrl } from './fixtures/servers.ts'
import { buildChildren } from './fixtures/sqlite-children.ts'
import { anySteps } from './fixtures/store-steps.ts'
import { testFile } from './fixtures/stores.ts'

const [postgresAt, boltAt] = [await postgresUrl(), await boltUrl()]
const asked = fc.readConfigureGlobal()
const seed = asked.seed ?? Date.now() % 1_000_000

const all = allScopes()
const scope = { userId: 'ann' }
const at = Date.parse('2026-01-01T00:00:00Z')
const file = () => sqlite({ path: testFile() })

/** Closed at the end, whatever happens. */
async function using(stores: readonly MemoryStore[], work: () => Promise<void>): Promise<void> {
  try {
    for (const store of stores) await store.open()
    await work()
  } finally {
    for (const store of stores) await store.close()
  }
}

const write = (store: MemoryStore, id: string, more: Partial<Parameters<typeof put>[0]> = {}) =>
  store.commit(
    transaction({
      id: `tx-${id}`,
      at,
      changes: [put({ id, scope, ...more }), { type: 'journal', line: { op: 'write', verb: 'add', ids: [id], scope } }],
    }),
  )

async function fill(store: MemoryStore, count: number, from = 0): Promise<void> {
  for (let i = from; i < from + count; i++) await write(store, `r${i}`)
}

describe('a store that is copied whole into another', () => {
  it(`[MIG-1] has there whatever random operations made of it, from memory to a file and back (seed ${seed})`, {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(anySteps(40), async (steps) => {
        const [one, two, three] = [memory(), sqlite({ path: ':memory:' }), memory()]
        await using([one, two, three], async () => {
          await writeSteps(one, steps)
          const there = await migrateStore(one, two)
          await assertSame(one, two)
          const back = await migrateStore(two, three)
          await assertSame(one, three)
          expect(back.digest).toBe(there.digest)
        })
      }),
      { seed, numRuns: asked.numRuns ?? 20 },
    )
  })

  const servers: readonly (readonly [string, string | null, () => MemoryStore])[] = [
    ['postgres', postgresAt, () => postgres({ url: postgresAt!, schema: freshName(), poolSize: 4 })],
    ['bolt', boltAt, () => bolt({ url: boltAt!, namespace: freshName() })],
  ]
  for (const [name, url, make] of servers) {
    it.skipIf(url === null)(
      `[MIG-1] has there all that it had, from a file to ${name} and back`,
      {
        timeout: 600_000,
      },
      async () => {
        const [one, two, three] = [file(), make(), file()]
        await using([one, two, three], async () => {
          await writeRichMemory(one)
          const there = await migrateStore(one, two)
          expect(there).toMatchObject({ verified: true, skipped: { erased: 2 } })
          await assertSame(one, two)
          expect(await migrateStore(two, three)).toMatchObject({ digest: there.digest, skipped: { erased: 0 } })
          await assertSame(one, three)
        })
      },
    )
  }

  it('[MIG-2] a run that was ended anywhere is taken up by the next, nothing twice; a third has nothing to do', async () => {
    const [one, two] = [file(), file()]
    await using([one, two], async () => {
      await fill(one, 30)
      await one.erase(all, ['r3'])
      await one.derive([{ id: 'r5', version: 1, vector: unitVector([1, 2]) }], [{ id: 'r6', at }])
      for (const stop of [1, 7, 20]) {
        const controller = new AbortController()
        const options: MigrateStoreOptions = {
          signal: controller.signal,
          onProgress: ({ phase, transactions }) => {
            if (phase === 'copying' && transactions >= stop) controller.abort()
          },
        }
        await expect(migrateStore(one, two, options)).rejects.toMatchObject({ name: 'AbortError' })
      }
      const done = await migrateStore(one, two)
      expect(done.transactions).toBe(30)
      expect(done.copied.transactions).toBeLessThan(30)
      await assertSame(one, two)
      expect((await migrateStore(one, two)).copied).toEqual({ transactions: 0, journal: 0 })
      await assertSame(one, two)
    })
  })

  it('[MIG-2] a run that is killed again and again leaves nothing half-done, and the next goes on', {
    timeout: 120_000,
  }, async () => {
    const [from, to] = [testFile(), testFile()]
    const [one, two] = [sqlite({ path: from }), sqlite({ path: to })]
    const children = await buildChildren()
    try {
      await using([one], async () => {
        await fill(one, 200)
        await one.erase(all, ['r3', 'r70'])
      })
      for (const lines of [1, 30, 60]) {
        const child = children.start('migrate', from, to)
        for (let i = 0; i < lines; i++) await child.nextLine()
        child.process.kill('SIGKILL')
        await child.ended
      }
      await using([one, two], async () => {
        const brought = (await two.log(null)).entries.length
        expect(brought).toBeGreaterThanOrEqual(91)
        const { copied, transactions } = await migrateStore(one, two)
        expect(copied.transactions).toBe(transactions - brought)
        await assertSame(one, two)
      })
    } finally {
      await children.remove()
    }
  })

  it('[MIG-3] a target with anything that the source has not is refused and stays as it is', async () => {
    const [one, two, three] = [memory(), memory(), memory()]
    await using([one, two, three], async () => {
      await fill(one, 3)
      await write(two, 'mine')
      const before = await everythingOf(two)
      await expect(migrateStore(one, two)).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'foreign' } })
      expect(await everythingOf(two)).toEqual(before)
      await fill(three, 4)
      const longer = migrateStore(one, three)
      await expect(longer).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'foreign', tx: 'tx-r3' } })
    })
  })

  it('[MIG-4] a source that is written meanwhile is followed to its end', async () => {
    const [one, two] = [file(), file()]
    await using([one, two], async () => {
      await fill(one, 20)
      let more = 0
      const writes: Promise<unknown>[] = []
      const result = await migrateStore(one, two, {
        onProgress: ({ phase }) => {
          if (phase !== 'copying' || more >= 10) return
          more++
          writes.push(write(one, `late${more}`))
          writes.push(one.derive([{ id: `r${more}`, version: 1, vector: unitVector([more, 1]) }], [{ id: 'r0', at }]))
        },
      })
      await Promise.all(writes)
      expect(result).toMatchObject({ transactions: 30, upTo: (await one.log(null)).entries.at(-1)?.id, verified: true })
      await assertSame(one, two)
    })
  })

  it('[MIG-5] of two runs at once one stops, the other ends the work, and nothing is there twice', async () => {
    const path = testFile()
    const [one, two, three] = [file(), sqlite({ path }), sqlite({ path })]
    await using([one, two, three], async () => {
      await fill(one, 60)
      const runs = await Promise.allSettled([migrateStore(one, two), migrateStore(one, three)])
      expect(runs.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
      for (const run of runs) {
        if (run.status === 'rejected') expect(run.reason).toMatchObject({ code: 'CONFLICT' })
      }
      await assertSame(one, two)
    })
  })

  it('[MIG-6] what is erased in the source after it was copied is never left in the target unnoticed', async () => {
    const [one, two, three] = [memory(), memory(), memory()]
    await using([one, two, three], async () => {
      await fill(one, 5)
      await one.commit(transaction({ id: 'both', at, changes: [put({ id: 'a', scope }), put({ id: 'b', scope })] }))
      await migrateStore(one, two)
      await one.erase(all, ['a'], { tx: 'e1' })
      await write(one, 'c')
      await expect(migrateStore(one, two)).rejects.toMatchObject({
        code: 'CONFLICT',
        details: { reason: expect.stringMatching(/erased|foreign|different/) },
      })
      await migrateStore(one, three)
      await assertSame(one, three)
    })
  })

  it('[MIG-7] stores that differ are told apart, with counts and the first that differs, and nothing is written', async () => {
    const [one, two] = [memory(), memory()]
    await using([one, two], async () => {
      await fill(one, 4)
      await migrateStore(one, two)
      expect(await migrateStore(one, two, { verifyOnly: true })).toMatchObject({ verified: true })
      await write(one, 'r9')
      const behind = migrateStore(one, two, { verifyOnly: true })
      await expect(behind).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'different', id: 'tx-r9' } })
      await two.commit(transaction({ id: 'tx-r9', at, changes: [put({ id: 'r9', scope, content: 'not the same' })] }))
      const differs = migrateStore(one, two)
      await expect(differs).rejects.toMatchObject({ details: { reason: 'different', id: 'r9' } })
      await expect(differs).rejects.not.toMatchObject({ message: expect.stringContaining('not the same') })
    })
  })

  it('[MIG-10] a store is not copied into itself, nor compared with itself; a copy of its file is another store', async () => {
    const [path, link, copy] = [testFile(), testFile(), testFile()]
    const one = sqlite({ path })
    await using([one], async () => {
      await fill(one, 2)
      await symlink(path, link)
      await one.backup?.(copy)
      const sames = [one, sqlite({ path }), sqlite({ path: link }), sqlite({ path: relative('.', path) })]
      for (const same of sames) {
        for (const verifyOnly of [false, true]) {
          await expect(migrateStore(one, same, { verifyOnly })).rejects.toMatchObject({
            code: 'INVALID_ARGUMENT',
            message: expect.stringMatching(/the same store.*Nothing was written: give another/),
            details: { reason: 'same' },
          })
        }
        if (same !== one) await same.close()
      }
      const other = sqlite({ path: copy })
      await fill(one, 1, 2)
      await using([other], async () => {
        expect(await migrateStore(one, other)).toMatchObject({ transactions: 3, copied: { transactions: 1 } })
      })
      const here = memory()
      await expect(migrateStore(here, here)).rejects.toMatchObject({ details: { reason: 'same' } })
    })
  })

  it('[MIG-8] a store with a layer in front of it is refused: what is behind it is named instead', async () => {
    const layered = { ...memory(), migrateToCold: async () => ({ migrated: 0, remaining: 0 }) }
    for (const [from, to] of [
      [layered, memory()],
      [memory(), layered],
    ] as const) {
      await expect(migrateStore(from, to)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })
})
