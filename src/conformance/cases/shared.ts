import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { brokenJournalLine, type MemoryStore } from '../../contract/index.ts'
import { allScopes, within } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { everything, listIds, race, readLog, refuses } from '../expectations.ts'

const all = allScopes()
const scope = { userId: 'ann' }

export const sharedCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-SHR-1',
    needs: ['shared'],
    title: 'what one instance commits, derives, removes and erases, the other sees at once, in every read',
    async run({ store, openSecond, transaction, ids, clock }) {
      const second = await openSecond()
      const [a, b] = [ids(), ids()]
      const same = async () => assert.equal(await everything(second, [a, b]), await everything(store, [a, b]))
      const link = { from: a, to: b, type: 'x', weight: 1, metadata: {} }
      const idempotency = { scope, key: 'k', digest: 'd', expiresAt: clock() + 10 }
      await store.commit(
        transaction([put({ id: a, scope }), put({ id: b, scope }), { type: 'link', link }], { idempotency }),
      )
      assert.deepEqual((await listIds(second, all)).sort(), [a, b].sort())
      assert.equal((await second.usedKey(scope, 'k', { now: clock() }))?.digest, 'd')
      await same()
      const { derived } = await store.log(null)
      await second.derive([{ id: a, version: 1, vector: unitVector([1, 2]) }], [{ id: b, at: clock() }])
      assert.deepEqual((await store.get(all, [a]))[0]?.vector, unitVector([1, 2]))
      assert.notEqual((await store.log(null)).derived, derived)
      await same()
      await second.commit(transaction([{ type: 'remove', op: 'delete', id: a }]))
      assert.deepEqual(await store.get(all, [a]), [null])
      await same()
      await store.erase(all, [b])
      assert.deepEqual(await second.get(all, [b]), [null])
      await same()
    },
  },
  {
    rule: 'STO-SHR-2',
    needs: ['shared'],
    title:
      'of commits of two instances that race for a version, a new id, a key, a content or an idempotency key, exactly one wins',
    async run({ store, openSecond, transaction, ids, clock }) {
      const instances = [store, await openSecond()]
      for (let round = 0; round < 10; round++) {
        const [id, fresh, key, hash] = [ids(), ids(), `k${round}`, `h${round}`]
        await store.commit(transaction([put({ id, scope })]))
        const contest = async (name: string, make: () => ReturnType<typeof transaction>) => {
          const { won, lost } = await race(
            Array.from({ length: 6 }, (_, i) => () => (instances[i % 2] as MemoryStore).commit(make())),
          )
          assert.equal(won.filter(({ replayed }) => !replayed).length, 1, `${name}: winners of round ${round}`)
          return lost.length
        }
        const requires = [
          { type: 'version', id, is: 1 },
          { type: 'version', id: fresh, is: null },
          { type: 'noKey', scope, kind: 'semantic', key },
          { type: 'noContent', scope, kind: 'semantic', hash },
        ] as const
        const changes = [
          () => put({ id, scope }),
          () => put({ id: fresh, scope }),
          () => put({ id: ids(), scope, key }),
          () => put({ id: ids(), scope }, { hash }),
        ]
        for (const [i, required] of requires.entries()) {
          const change = changes[i] as () => ReturnType<typeof put>
          assert.equal(await contest(required.type, () => transaction([change()], { requires: [required] })), 5)
        }
        const idempotency = { scope, key, digest: 'd', expiresAt: clock() + 1000 }
        assert.equal(await contest('idempotency', () => transaction([put({ id: ids(), scope })], { idempotency })), 0)
      }
    },
  },
  {
    rule: 'STO-SHR-3',
    needs: ['shared'],
    title:
      'what two instances write at once is all there, once, in one log that both read alike, and in whole journal chains',
    async run({ store, openSecond, transaction, ids }) {
      const second = await openSecond()
      const seen: string[] = []
      let cursor: string | null = null
      const placed: string[] = []
      for (let round = 0; round < 10; round++) {
        const contenders = Array.from({ length: 8 }, (_, i) => () => {
          const id = ids()
          placed.push(id)
          const line = { op: 'write' as const, verb: 'add', ids: [id], scope }
          const writer = i % 2 === 0 ? store : second
          return writer.commit(transaction([put({ id, scope }), { type: 'journal', line }]))
        })
        const { lost } = await race(contenders)
        assert.deepEqual(lost, [])
        const page = await readLog(round % 2 === 0 ? store : second, cursor, 3)
        seen.push(
          ...page.entries.flatMap(({ changes }) => changes.map((change) => (change.type === 'put' ? change.id : ''))),
        )
        cursor = page.cursor
      }
      assert.deepEqual([...seen].sort(), [...placed].sort())
      assert.deepEqual((await readLog(store)).entries, (await readLog(second)).entries)
      assert.equal(brokenJournalLine(await second.journal(all, { limit: 1000 })), null)
      assert.deepEqual(await second.verify(), [])
    },
  },
  {
    rule: 'STO-SHR-4',
    needs: ['shared'],
    title: 'a closed instance leaves the other at work',
    async run({ store, openSecond, transaction, ids }) {
      const second = await openSecond()
      await store.commit(transaction([put({ id: ids() })]))
      await second.close()
      await refuses(second.log(null), 'ENGINE_CLOSED')
      await store.commit(transaction([put({ id: ids() })]))
      assert.equal((await readLog(store)).entries.length, 2)
      await second.open()
      assert.equal((await readLog(second)).entries.length, 2)
    },
  },
  {
    rule: 'STO-SHR-5',
    needs: ['shared'],
    title: 'a read sees every transaction whole, whatever another instance commits meanwhile',
    async run({ store, openSecond, transaction }) {
      const second = await openSecond()
      const ids = ['a', 'b', 'c', 'd']
      const rounds = 25
      let writing = true
      const write = async () => {
        for (let round = 1; round <= rounds; round++) {
          const content = String(round)
          const changes = ids.map((id) =>
            round % 5 === 0 ? ({ type: 'remove', op: 'delete', id } as const) : put({ id, scope, content }),
          )
          const fresh = { appId: `new-${round}`, userId: 'ann' }
          await second.commit(transaction(changes))
          await second.commit(
            transaction([put({ id: `x${round}`, scope: fresh }), put({ id: `y${round}`, scope: fresh })]),
          )
        }
      }
      const written = write().finally(() => {
        writing = false
      })
      const user = within(scope)
      for (let reads = 0; writing || reads < 3; reads++) {
        // A store that reads without ever waiting would leave the writer no turn.
        await nextTurn()
        const got = await store.get(all, ids)
        assert.equal(new Set(got.map((stored) => stored?.record.content)).size, 1, 'get sees half a transaction')
        const { items } = await store.list(user, { order: 'oldest', limit: 1000 })
        const listed = items.filter(({ record }) => ids.includes(record.id))
        assert.ok(listed.length === 0 || listed.length === ids.length, 'list sees half a removal')
        assert.ok(new Set(listed.map(({ record }) => record.content)).size <= 1, 'list sees half a transaction')
        assert.equal((items.length - listed.length) % 2, 0, 'list sees half of the first transaction of an owner')
        const { counts } = await store.stats(user, { now: 0 })
        assert.equal(counts.reduce((sum, { count }) => sum + count, 0) % 2, 0, 'stats sees half a transaction')
      }
      await written
    },
  },
]
