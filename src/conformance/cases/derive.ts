import assert from 'node:assert/strict'
import { allScopes, formatInstant } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { readLog } from '../expectations.ts'

const all = allScopes()

export const deriveCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-DER-1',
    title:
      'a late vector is kept with its record, replaces an earlier one, and moves the derived marker; it is no new version and not in the log',
    async run({ store, add }) {
      const { id, version } = await add()
      const before = await store.log(null)
      for (const vector of [unitVector([1, 2]), unitVector([2, 1], 'other')]) {
        const { derived } = await store.log(null)
        await store.derive([{ id, version, vector }])
        const [stored] = await store.get(all, [id])
        assert.deepEqual([stored?.vector, stored?.record.version], [vector, 1])
        const after = await store.log(null)
        assert.notEqual(after.derived, derived)
        assert.deepEqual([after.cursor, after.entries.length], [before.cursor, 1])
      }
      const [change] = (await readLog(store)).entries[0]?.changes ?? []
      assert.ok(change?.type === 'put')
      assert.deepEqual(change.stored?.vector, unitVector([2, 1], 'other'))
    },
  },
  {
    rule: 'STO-DER-2',
    title:
      'a vector for another version than the current one is ignored, and so is one for a record that is gone; the marker stays',
    async run({ store, add, commit }) {
      const { id } = await add()
      await commit([put({ id, content: 'two' })])
      const { id: gone } = await add()
      await commit([{ type: 'remove', op: 'delete', id: gone }])
      const { derived } = await store.log(null)
      const vector = unitVector([1])
      await store.derive([1, 3].map((version) => ({ id, version, vector })))
      await store.derive([gone, 'nobody'].flatMap((each) => [1, 2].map((version) => ({ id: each, version, vector }))))
      await store.derive([])
      assert.equal((await store.get(all, [id]))[0]?.vector, null)
      assert.equal((await store.log(null)).derived, derived)
      await store.derive([
        { id: 'nobody', version: 1, vector },
        { id, version: 2, vector },
      ])
      assert.deepEqual((await store.get(all, [id]))[0]?.vector, vector)
      assert.notEqual((await store.log(null)).derived, derived)
    },
  },
  {
    rule: 'STO-DER-3',
    title: 'a touch moves the access count by one and the access time to the later one, nothing else',
    async run({ store, add, commit, clock }) {
      const record = await add()
      const { id } = record
      const { derived } = await store.log(null)
      const at = clock()
      await store.derive(
        [],
        [
          { id, at: at + 5 },
          { id: 'nobody', at },
          { id, at: at + 3 },
        ],
      )
      await store.derive([], [{ id, at: at + 9 }])
      const [stored] = await store.get(all, [id])
      assert.deepEqual(stored?.record, { ...record, accessCount: 3, lastAccessedAt: formatInstant(at + 9) })
      assert.equal((await store.log(null)).derived, derived)
      assert.deepEqual(
        (await store.revisions(all, id)).map((revision) => revision.record),
        [record],
      )
      await commit([put({ id, accessCount: 7 })])
      assert.equal((await store.get(all, [id]))[0]?.record.accessCount, 7)
    },
  },
  {
    rule: 'STO-DER-4',
    title: 'a put takes the vector it gives: without one the new version has none, and the earlier keeps its own',
    async run({ store, add, commit }) {
      const vector = unitVector([1, 2])
      const { id } = await add({}, { vector })
      const { cursor } = await store.log(null)
      await commit([put({ id })])
      assert.equal((await store.get(all, [id]))[0]?.vector, null)
      assert.deepEqual((await store.get(all, [id], { asOf: { position: cursor } }))[0]?.vector, vector)
    },
  },
  {
    rule: 'STO-DER-5',
    title: 'an analysis made anew replaces that of the current version, alone or with a vector, and is no new version',
    async run({ store, add, commit }) {
      const vector = unitVector([1, 2])
      const { id } = await add({ content: 'one' }, { vector })
      const analysis = { analyser: 'new', terms: [['uno', 2]] as [string, number][], tokens: [7], shape: 3 }
      await store.derive([
        { id, version: 2, analysis },
        { id: 'nobody', version: 1, analysis },
      ])
      assert.equal((await store.get(all, [id]))[0]?.analysis.analyser, 'plain')
      await store.derive([{ id, version: 1, analysis }])
      const [stored] = await store.get(all, [id])
      assert.deepEqual([stored?.analysis, stored?.vector, stored?.record.version], [analysis, vector, 1])
      const both = { analysis: { ...analysis, analyser: 'newer' }, vector: unitVector([2, 1]) }
      await store.derive([{ id, version: 1, ...both }])
      const [again] = await store.get(all, [id])
      assert.deepEqual([again?.analysis, again?.vector], [both.analysis, both.vector])
      await commit([put({ id })])
      assert.equal((await store.get(all, [id]))[0]?.analysis.analyser, 'plain')
      assert.equal((await readLog(store)).entries.length, 2)
    },
  },
  {
    rule: 'STO-DER-7',
    title: 'a touch that says how many reads there were in all raises the access count to it, and never lowers it',
    async run({ store, add, clock }) {
      const { id } = await add({ accessCount: 2 })
      const at = clock()
      const access = async () => {
        const [stored] = await store.get(all, [id])
        return [stored?.record.accessCount, stored?.record.lastAccessedAt]
      }
      const touches = [
        { id, at, count: 7 },
        { id: 'nobody', at, count: 7 },
      ]
      await store.derive([], touches)
      assert.deepEqual(await access(), [7, formatInstant(at)])
      await store.derive([], touches)
      await store.derive([], [{ id, at: at - 5, count: 3 }])
      assert.deepEqual(await access(), [7, formatInstant(at)])
      await store.derive(
        [],
        [
          { id, at: at + 1 },
          { id, at: at + 9, count: 8 },
          { id, at: at + 2 },
        ],
      )
      assert.deepEqual(await access(), [9, formatInstant(at + 9)])
    },
  },
  {
    rule: 'STO-DER-6',
    title: 'vectorsOf gives the present vectors of any scope, late ones too, at their places; null where there is none',
    async run({ store, add, commit }) {
      const vector = unitVector([1, 2])
      const { id: late } = await add({ scope: { userId: 'bob' } })
      const { id: without } = await add()
      await commit([
        put({ id: 'given' }, { vector }),
        put({ id: 'gone' }, { vector }),
        put({ id: 'renewed' }, { vector }),
      ])
      await commit([put({ id: 'renewed' }), { type: 'remove', op: 'delete', id: 'gone' }])
      await store.derive([{ id: late, version: 1, vector: unitVector([2, 1], 'other') }])
      assert.deepEqual(await store.vectorsOf(['given', 'nobody', late, without, 'gone', 'renewed', 'given']), [
        vector,
        null,
        unitVector([2, 1], 'other'),
        null,
        null,
        null,
        vector,
      ])
      assert.deepEqual(await store.vectorsOf([]), [])
    },
  },
]
