import assert from 'node:assert/strict'
import { allScopes, exactly } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { everything, listIds, plain } from '../expectations.ts'

const all = allScopes()
const scope = { userId: 'ann' }

export const removeCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-REM-1',
    title:
      'after a remove nothing reads the record, and nothing of its content, key, tags or metadata is left in history or log',
    async run({ store, commit, ids }) {
      const id = ids()
      await commit([put({ id, scope, content: 'secret-1', key: 'secret-2', tags: ['secret-3'] }, { hash: 'secret-4' })])
      const data = { deep: ['secret-5'] }
      await commit([
        put(
          { id, scope, content: 'secret-6', data, metadata: { 'secret-7': 'secret-8' } },
          { vector: unitVector([1]) },
        ),
      ])
      await commit([{ type: 'remove', op: 'delete', id }])
      assert.deepEqual(await store.get(all, [id]), [null])
      assert.deepEqual(await listIds(store, all, { statuses: 'any' }), [])
      const text = await everything(store, [id])
      assert.ok(text.includes(id), 'the tombstone stays')
      assert.ok(!text.includes('secret'), 'content is left after a remove')
    },
  },
  {
    rule: 'STO-REM-2',
    title: 'a tombstone says what, when, by whom and why; earlier revisions and log entries stay, emptied',
    async run({ store, commit, add }) {
      const { id } = await add({ scope, kind: 'episodic' })
      await commit([put({ id, scope, kind: 'episodic' }, { op: 'update' })])
      const { tx } = await commit([{ type: 'remove', op: 'undo', id }], { actor: 'ann', reason: 'old' })
      const revisions = await store.revisions(exactly(scope), id)
      assert.deepEqual(
        revisions.map(({ version, op, record }) => [version, op, record]),
        [
          [1, 'add', null],
          [2, 'update', null],
          [3, 'undo', null],
        ],
      )
      assert.deepEqual([revisions[2]?.tx, revisions[2]?.actor, revisions[2]?.reason], [tx, 'ann', 'old'])
      const { entries } = await store.log(null)
      const changes = entries.flatMap((entry) => entry.changes)
      assert.deepEqual(plain(changes), [
        { type: 'put', op: 'add', id, kind: 'episodic', scope, version: 1, hash: null, stored: null },
        { type: 'put', op: 'update', id, kind: 'episodic', scope, version: 2, hash: null, stored: null },
        { type: 'remove', op: 'undo', id, salt: null, kind: 'episodic', scope, version: 3 },
      ])
    },
  },
  {
    rule: 'STO-REM-3',
    title: 'the links of a removed record go with it, out of the log too, and do not come back with the id',
    async run({ store, commit, ids }) {
      const [a, b, c] = [ids(), ids(), ids()]
      const link = (from: string, to: string) => ({
        type: 'link' as const,
        link: { from, to, type: 'x', weight: 1, metadata: { note: 'secret' } },
      })
      await commit([put({ id: a }), put({ id: b }), put({ id: c }), link(a, b), link(b, a), link(a, a)])
      await commit([{ type: 'unlink', from: b, to: a, linkType: 'x' }])
      await commit([{ type: 'link', link: { from: b, to: c, type: 'x', weight: 1, metadata: {} } }])
      await commit([{ type: 'remove', op: 'delete', id: a }])
      const left = async () => (await store.links(all, [a, b, c])).map(({ from, to }) => [from, to])
      assert.deepEqual(await left(), [[b, c]])
      assert.ok(!(await everything(store, [a, b, c])).includes('secret'))
      await commit([put({ id: a })])
      assert.deepEqual(await left(), [[b, c]])
    },
  },
  {
    rule: 'STO-REM-4',
    title: 'a remove leaves other records, their history and their vectors as they were',
    async run({ store, commit, ids }) {
      const [a, b] = [ids(), ids()]
      await commit([
        put({ id: a, key: 'k' }, { hash: 'h' }),
        put({ id: b, key: 'k' }, { hash: 'h', vector: unitVector([1, 2]) }),
      ])
      const before = [await store.get(all, [b]), await store.revisions(all, b)]
      await commit([{ type: 'remove', op: 'delete', id: a }])
      assert.deepEqual([await store.get(all, [b]), await store.revisions(all, b)], before)
      assert.deepEqual(await listIds(store, all, { key: 'k', hash: 'h' }), [b])
    },
  },
]
