import assert from 'node:assert/strict'
import type { StoreChange } from '../../contract/index.ts'
import { allScopes, exactly, formatInstant } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { plain, readLog, refuses, snapshot } from '../expectations.ts'

const all = allScopes()
const scope = { userId: 'ann' }

export const commitCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-COM-1',
    title: 'a commit gives back its transaction, its moment and the records as put, in order; reads give the same',
    async run({ store, transaction, ids, clock }) {
      const [a, b] = [ids(), ids()]
      const tx = transaction([put({ id: b, content: 'B' }), put({ id: a, content: 'A', key: 'k', tags: ['t'] })])
      const result = await store.commit(tx)
      assert.deepEqual(
        { tx: result.tx, at: result.at, replayed: result.replayed },
        { tx: tx.id, at: clock(), replayed: false },
      )
      assert.deepEqual(
        result.records.map(({ id, content }) => [id, content]),
        [
          [b, 'B'],
          [a, 'A'],
        ],
      )
      const got = await store.get(all, [b, a])
      assert.deepEqual(
        got.map((stored) => stored?.record),
        result.records,
      )
    },
  },
  {
    rule: 'STO-COM-2',
    title: 'what is kept beside a record comes back with it: analysis and vector',
    async run({ store, commit, ids }) {
      const id = ids()
      const analysis = {
        analyser: 'x',
        terms: [
          ['a', 2],
          ['é', 1],
          ['\u0000', 3],
        ] as [string, number][],
        tokens: [1, 5, 70_000],
        shape: 5,
      }
      const vector = unitVector([1, 2, 3], 'space "x" %')
      await commit([put({ id }, { analysis, vector })])
      const stored = (await store.get(all, [id]))[0]
      assert.deepEqual(stored?.analysis, analysis)
      assert.deepEqual(stored?.vector, vector)
    },
  },
  {
    rule: 'STO-COM-3',
    title: 'changes are applied in order, each seeing those before it',
    async run({ store, commit, ids }) {
      const [a, b, gone] = [ids(), ids(), ids()]
      const { records } = await commit([
        put({ id: a, content: 'first' }),
        put({ id: b }),
        { type: 'link', link: { from: a, to: b, type: 'x', weight: 0.25, metadata: {} } },
        put({ id: a, content: 'second' }, { op: 'update' }),
        { type: 'link', link: { from: a, to: b, type: 'x', weight: 0.75, metadata: {} } },
        { type: 'link', link: { from: b, to: a, type: 'x', weight: 1, metadata: {} } },
        { type: 'unlink', from: b, to: a, linkType: 'x' },
        put({ id: gone }),
        { type: 'remove', op: 'delete', id: gone },
      ])
      assert.deepEqual(
        records.map(({ id, version }) => [id, version]),
        [
          [a, 1],
          [b, 1],
          [a, 2],
          [gone, 1],
        ],
      )
      const [now] = await store.get(all, [a])
      assert.deepEqual([now?.record.content, now?.record.version], ['second', 2])
      assert.deepEqual(await store.get(all, [gone]), [null])
      assert.deepEqual(plain(await store.links(all, [a])), [{ from: a, to: b, type: 'x', weight: 0.75, metadata: {} }])
      assert.deepEqual(
        (await store.revisions(all, gone)).map(({ op, record }) => [op, record]),
        [
          ['add', null],
          ['delete', null],
        ],
      )
    },
  },
  {
    rule: 'STO-COM-4',
    title:
      'a commit that fails anywhere leaves nothing: no record, revision, link, log entry, journal line or idempotency key',
    async run({ store, add, transaction, ids, clock }) {
      const existing = await add({ scope, content: 'there' })
      const other = await add({ scope: { userId: 'bob' } })
      const [fresh, journalled] = [
        ids(),
        { type: 'journal', line: { op: 'write', verb: 'x', ids: [], scope } } as const,
      ]
      const good: StoreChange[] = [
        journalled,
        put({ id: existing.id, scope, content: 'changed' }, { op: 'update' }),
        put({ id: fresh, scope }, { vector: unitVector([1]) }),
        { type: 'link', link: { from: fresh, to: existing.id, type: 'x', weight: 1, metadata: {} } },
        { type: 'remove', op: 'delete', id: existing.id },
      ]
      const bad: {
        readonly changes: StoreChange[]
        readonly requires?: [{ type: 'version'; id: string; is: number }]
      }[] = [
        { changes: [...good, put({ id: other.id, scope })] },
        {
          changes: [...good, { type: 'link', link: { from: fresh, to: 'nobody', type: 'x', weight: 1, metadata: {} } }],
        },
        {
          changes: [
            ...good,
            { type: 'link', link: { from: existing.id, to: fresh, type: 'x', weight: 1, metadata: {} } },
          ],
        },
        { changes: good, requires: [{ type: 'version', id: existing.id, is: 2 }] },
      ]
      const before = await snapshot(store, [existing.id, other.id, fresh])
      for (const { changes, requires = [] } of bad) {
        const idempotency = { scope, key: 'k', digest: 'd', expiresAt: clock() + 1000 }
        const tx = transaction(changes, { requires, idempotency })
        await assert.rejects(store.commit(tx))
        assert.equal(await snapshot(store, [existing.id, other.id, fresh]), before)
        assert.equal(await store.usedKey(scope, 'k', { now: clock() }), null)
        assert.equal(await store.transaction(tx.id), null)
      }
    },
  },
  {
    rule: 'STO-COM-5',
    title: 'an id belongs to one exact scope for good, also after a remove: a put elsewhere is CONFLICT',
    async run({ store, add, commit }) {
      const { id } = await add({ scope })
      const elsewhere = [{ userId: 'bob' }, { userId: 'ann', sessionId: 's' }, { appId: 'x', userId: 'ann' }]
      for (const other of elsewhere) await refuses(commit([put({ id, scope: other })]), 'CONFLICT', { id })
      await commit([{ type: 'remove', op: 'delete', id }])
      for (const other of elsewhere) await refuses(commit([put({ id, scope: other })]), 'CONFLICT', { id })
      await commit([put({ id, scope })])
      assert.deepEqual((await store.get(exactly(scope), [id]))[0]?.record.scope, scope)
    },
  },
  {
    rule: 'STO-COM-6',
    title:
      'a transaction id is used once: again is CONFLICT, also when an erase has taken the transaction out of the log',
    async run({ store, transaction, ids }) {
      const [id, other] = [ids(), ids()]
      const [first, second] = [transaction([put({ id, scope })]), transaction([put({ id: other, scope })])]
      for (const each of [first, second]) await store.commit(each)
      const again = async () => {
        for (const changes of [first.changes, [put({ id: ids() })], []])
          await refuses(store.commit({ ...first, changes }), 'CONFLICT', { precondition: 'transaction', id: first.id })
      }
      await again()
      assert.equal((await readLog(store)).entries.length, 2)
      await store.erase(all, [id])
      assert.equal(await store.transaction(first.id), null)
      await again()
      // With the last record its owner goes, too.
      await store.erase(all, [other])
      await again()
      assert.deepEqual(await store.get(all, [id, other]), [null, null])
      assert.deepEqual(
        (await readLog(store)).entries.map(({ verb }) => verb),
        ['erase', 'erase'],
      )
      assert.deepEqual(await store.verify(), [])
    },
  },
  {
    rule: 'STO-COM-7',
    title: 'removing what is not there and unlinking what is not linked change nothing and are not logged as changes',
    async run({ store, add, commit }) {
      const { id } = await add()
      const { tx } = await commit([
        { type: 'remove', op: 'delete', id: 'nobody' },
        { type: 'unlink', from: id, to: 'nobody', linkType: 'x' },
        { type: 'unlink', from: id, to: id, linkType: 'x' },
      ])
      assert.deepEqual((await store.transaction(tx))?.changes, [])
      assert.deepEqual(await store.revisions(all, 'nobody'), [])
    },
  },
  {
    rule: 'STO-COM-8',
    title: 'the commits of an owner never go back in time, whatever the clock does; other owners are not held up',
    async run({ store, add, commit, clock }) {
      const start = clock()
      const { id } = await add({ scope })
      clock.advance(-60_000)
      const session = await add({ scope: { ...scope, sessionId: 's' } })
      assert.equal(session.createdAt, formatInstant(start))
      const stranger = await add({ scope: { userId: 'bob' } })
      assert.equal(stranger.createdAt, formatInstant(start - 60_000))
      const ats = []
      ats.push((await commit([{ type: 'journal', line: { op: 'read', verb: 'x', ids: [], scope } }])).at)
      ats.push(
        (await commit([{ type: 'link', link: { from: stranger.id, to: id, type: 'x', weight: 1, metadata: {} } }])).at,
      )
      ats.push((await commit([put({ id: stranger.id, scope: { userId: 'bob' } })])).at)
      ats.push((await commit([{ type: 'remove', op: 'delete', id }])).at)
      assert.deepEqual(ats, [start, start, start, start])
      clock.advance(120_000)
      assert.equal((await commit([put({ id, scope })])).at, start + 60_000)
      const revisions = await store.revisions(all, id)
      assert.deepEqual(
        revisions.map(({ at }) => at),
        [start, start, start + 60_000].map(formatInstant),
      )
    },
  },
  {
    rule: 'STO-COM-9',
    title: 'a bare get or list gives the same records as a whole one',
    async run({ store, add }) {
      const [a, b] = [await add({ content: 'a' }), await add({ content: 'b' })]
      const asked = [b.id, 'nobody', a.id, b.id]
      const whole = await store.get(allScopes(), asked)
      const bare = await store.get(allScopes(), asked, { bare: true })
      assert.deepEqual(
        bare.map((stored) => stored?.record ?? null),
        whole.map((stored) => stored?.record ?? null),
      )
      const query = { order: 'oldest', limit: 10 } as const
      const [listed, bareList] = [
        await store.list(allScopes(), query),
        await store.list(allScopes(), query, { bare: true }),
      ]
      assert.deepEqual(
        bareList.items.map(({ record }) => record),
        listed.items.map(({ record }) => record),
      )
    },
  },
]
