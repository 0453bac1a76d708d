import assert from 'node:assert/strict'
import { allScopes } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { plain, readLog, refuses } from '../expectations.ts'

const all = allScopes()
const scope = { userId: 'ann' }

export const logCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-LOG-7',
    title: 'the log shows with every put the digest that it was given, until the record is removed',
    async run({ store, commit }) {
      const odd = `sha256:"${'x'.repeat(500)}`
      await commit([put({ id: 'a' }, { hash: 'h1' }), put({ id: 'b' }, { hash: odd }), put({ id: 'c' })])
      await commit([put({ id: 'a' }, { hash: 'h2' }), put({ id: 'b' })])
      const digests = async () =>
        (await readLog(store)).entries.map(({ changes }) =>
          changes.map((change) => {
            if (change.type === 'put') return [change.id, change.hash]
            return [change.type === 'remove' ? change.id : '', 'removed']
          }),
        )
      assert.deepEqual(await digests(), [
        [
          ['a', 'h1'],
          ['b', odd],
          ['c', null],
        ],
        [
          ['a', 'h2'],
          ['b', null],
        ],
      ])
      await commit([{ type: 'remove', op: 'delete', id: 'a' }])
      assert.deepEqual((await digests()).flat(), [
        ['a', null],
        ['b', odd],
        ['c', null],
        ['a', null],
        ['b', null],
        ['a', 'removed'],
      ])
    },
  },
  {
    rule: 'STO-LOG-1',
    title:
      'the log holds every transaction in the order of commit, with all its changes, also one that changed no record',
    async run({ store, commit, ids, clock }) {
      const [a, b] = [ids(), ids()]
      const link = { from: a, to: b, type: 'x', weight: 0.5, metadata: { why: 'é' } }
      const vector = unitVector([1, 2])
      const first = await commit(
        [put({ id: a, scope }, { vector }), put({ id: b, kind: 'kv' }), { type: 'link', link }],
        {
          actor: 'ann',
          reason: 'because',
          result: { ids: [a, b] },
        },
      )
      clock.advance(1)
      const second = await commit([
        { type: 'journal', line: { op: 'read', verb: 'get', ids: [a], scope } },
        { type: 'unlink', from: a, to: b, linkType: 'x' },
      ])
      const third = await commit([put({ id: b, kind: 'kv', content: 'new' }, { op: 'update' })])
      const { entries } = await readLog(store)
      assert.deepEqual(
        entries.map(({ id, at, verb }) => [id, at, verb]),
        [
          [first.tx, first.at, 'test'],
          [second.tx, second.at, 'test'],
          [third.tx, third.at, 'test'],
        ],
      )
      const [one, two, three] = entries
      assert.deepEqual([one?.actor, one?.reason, one?.result], ['ann', 'because', { ids: [a, b] }])
      const [storedA] = await store.get(all, [a])
      const changes = one?.changes ?? []
      assert.deepEqual(changes[0], {
        type: 'put',
        op: 'add',
        id: a,
        kind: 'semantic',
        scope,
        version: 1,
        hash: null,
        stored: storedA,
      })
      assert.deepEqual(
        changes.map(({ type }) => type),
        ['put', 'put', 'link'],
      )
      assert.deepEqual(plain(changes[2]), { type: 'link', link, previous: null, scope })
      assert.deepEqual(plain(two?.changes), [{ type: 'unlink', link, scope }])
      const [update] = three?.changes ?? []
      assert.ok(update?.type === 'put' && changes[1]?.type === 'put')
      assert.deepEqual([update.op, update.version, update.stored?.record.content], ['update', 2, 'new'])
      assert.equal(changes[1].stored?.record.content, 'A memory.')
      for (const entry of entries) assert.deepEqual(await store.transaction(entry.id), entry)
      assert.equal(await store.transaction('unknown'), null)
    },
  },
  {
    rule: 'STO-LOG-2',
    title: 'read page by page or from any cursor on, nothing of the log comes twice and nothing is missing',
    async run({ store, commit, ids }) {
      const txs: string[] = []
      for (let i = 0; i < 23; i++) txs.push((await commit(Array.from({ length: i % 3 }, () => put({ id: ids() })))).tx)
      for (const limit of [1, 2, 7, 22, 23, 24, 1000]) {
        const { entries } = await readLog(store, null, limit)
        assert.deepEqual(
          entries.map(({ id }) => id),
          txs,
        )
      }
      const whole = await store.log(null)
      assert.deepEqual(
        whole.entries.map(({ id }) => id),
        txs,
      )
      for (const [i, { cursor }] of whole.entries.entries()) {
        assert.deepEqual(
          (await readLog(store, cursor)).entries.map(({ id }) => id),
          txs.slice(i + 1),
        )
      }
    },
  },
  {
    rule: 'STO-LOG-3',
    title: 'the cursor of an empty log, of an empty page, and the head, are where what comes next is read from',
    async run({ store, commit, ids }) {
      const { entries, cursor } = await store.log(null)
      assert.deepEqual(entries, [])
      assert.equal(await store.head(), cursor)
      const first = await commit([put({ id: ids() })])
      const page = await store.log(cursor)
      assert.deepEqual(
        page.entries.map(({ id }) => id),
        [first.tx],
      )
      const empty = await store.log(page.cursor)
      assert.deepEqual([empty.entries, empty.cursor], [[], page.cursor])
      assert.equal(await store.head(), page.cursor)
      const second = await commit([put({ id: ids() })])
      assert.deepEqual(
        (await store.log(empty.cursor)).entries.map(({ id }) => id),
        [second.tx],
      )
    },
  },
  {
    rule: 'STO-LOG-4',
    title: 'what is no cursor of the store is INVALID_CURSOR, in the log and in reads of the past',
    async run({ store, add }) {
      const { id } = await add()
      const { cursor } = await store.log(null)
      const junk = [
        '',
        ' ',
        'x',
        '-1',
        '0x1',
        'null',
        '{}',
        '999999999999',
        `${cursor} `,
        `${cursor}.5`,
        '__proto__',
        '\u0000',
        "' OR 1=1",
      ]
      for (const position of junk) {
        await refuses(store.log(position), 'INVALID_CURSOR')
        const asOf = { position }
        await refuses(store.get(all, [id], { asOf }), 'INVALID_CURSOR')
        await refuses(store.list(all, { order: 'newest', limit: 1 }, { asOf }), 'INVALID_CURSOR')
        await refuses(store.links(all, [id], { asOf }), 'INVALID_CURSOR')
        await refuses(store.stats(all, { now: 0 }, { asOf }), 'INVALID_CURSOR')
      }
    },
  },
  {
    rule: 'STO-LOG-5',
    title: 'commits that are made at the same time are all in the log, once, and the order never changes after',
    async run({ store, commit, ids }) {
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, i) => commit([put({ id: ids(), scope: { userId: `u${i % 4}` } })])),
      )
      const first = (await readLog(store)).entries.map(({ id }) => id)
      assert.deepEqual([...first].sort(), results.map(({ tx }) => tx).sort())
      await commit([put({ id: ids() })])
      assert.deepEqual((await readLog(store)).entries.map(({ id }) => id).slice(0, 40), first)
    },
  },
  {
    rule: 'STO-LOG-6',
    title: 'an entry that is shown later is never placed before one already shown, also when a commit takes long',
    needs: ['shared', 'held-commit'],
    async run({ store, openSecond, holdCommit, transaction, ids }) {
      const second = await openSecond()
      const slow = transaction([put({ id: ids(), scope: { userId: 'slow' } })])
      const held = await holdCommit(store, slow)
      const quick = transaction([put({ id: ids(), scope: { userId: 'quick' } })])
      await second.commit(quick)
      const before = await readLog(second)
      await held.release()
      const after = await readLog(second, before.cursor)
      assert.deepEqual([...before.entries, ...after.entries].map(({ id }) => id).sort(), [slow.id, quick.id].sort())
      assert.deepEqual(
        (await readLog(second)).entries.map(({ id }) => id),
        [...before.entries, ...after.entries].map(({ id }) => id),
      )
    },
  },
]
