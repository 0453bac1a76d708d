import assert from 'node:assert/strict'
import { allScopes, formatInstant } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'

const all = allScopes()

export const versionCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-VER-1',
    title:
      'versions start at 1 and go up by 1 with every put; a remove takes one, and an id that comes back goes on from there',
    async run({ store, commit, ids }) {
      const id = ids()
      const versions = []
      for (let i = 0; i < 3; i++) versions.push((await commit([put({ id })])).records[0]?.version)
      await commit([{ type: 'remove', op: 'undo', id }])
      versions.push((await commit([put({ id })])).records[0]?.version)
      assert.deepEqual(versions, [1, 2, 3, 5])
      const revisions = await store.revisions(all, id)
      assert.deepEqual(
        revisions.map(({ version, op }) => [version, op]),
        [
          [1, 'add'],
          [2, 'add'],
          [3, 'add'],
          [4, 'undo'],
          [5, 'add'],
        ],
      )
    },
  },
  {
    rule: 'STO-VER-2',
    title: 'a greater version that is given is kept, a smaller or equal one is not',
    async run({ commit, ids }) {
      const id = ids()
      const versions = []
      for (const version of [7, 7, 3, 20]) versions.push((await commit([put({ id, version })])).records[0]?.version)
      versions.push((await commit([put({ id })])).records[0]?.version)
      assert.deepEqual(versions, [7, 8, 9, 20, 21])
    },
  },
  {
    rule: 'STO-VER-3',
    title: 'times that are not given are the moment of commit; createdAt stays that of the record; given ones are kept',
    async run({ store, add, clock }) {
      const start = clock()
      const { id, createdAt, updatedAt } = await add()
      assert.deepEqual([createdAt, updatedAt], [start, start].map(formatInstant))
      clock.advance(1500)
      const updated = await add({ id })
      assert.deepEqual([updated.createdAt, updated.updatedAt], [start, start + 1500].map(formatInstant))
      const given = { createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2021-01-01T00:00:00.001Z' }
      const imported = await add({ id, ...given })
      assert.deepEqual({ createdAt: imported.createdAt, updatedAt: imported.updatedAt }, given)
      assert.deepEqual((await store.get(all, [id]))[0]?.record, imported)
      assert.equal((await add({ id })).createdAt, given.createdAt)
    },
  },
  {
    rule: 'STO-VER-4',
    title: 'after a remove an id comes back as new: its createdAt is the moment of commit',
    async run({ add, commit, clock }) {
      const { id } = await add()
      await commit([{ type: 'remove', op: 'delete', id }])
      clock.advance(5)
      assert.equal((await add({ id })).createdAt, formatInstant(clock()))
    },
  },
  {
    rule: 'STO-VER-5',
    title: 'every version is a revision with what, when, in which transaction, by whom and why, oldest first',
    async run({ store, add, commit, clock }) {
      const first = await add({ content: 'one' })
      const { id } = first
      clock.advance(10)
      const second = await commit([put({ id, content: 'two' }, { op: 'supersede' })], { actor: 'ann', reason: 'moved' })
      const revisions = await store.revisions(all, id)
      assert.deepEqual(revisions[0]?.record, first)
      assert.deepEqual(revisions[1], {
        id,
        version: 2,
        tx: second.tx,
        at: formatInstant(second.at),
        op: 'supersede',
        actor: 'ann',
        reason: 'moved',
        record: second.records[0],
      })
      assert.deepEqual(await store.revisions(all, 'unknown'), [])
    },
  },
]
