import assert from 'node:assert/strict'
import { erasedId, type LoggedChange } from '../../contract/index.ts'
import { allScopes, exactly, formatInstant, type Scope } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { everything, listIds, readLog, refuses } from '../expectations.ts'

const all = allScopes()
const link = (from: string, to: string) =>
  ({ type: 'link', link: { from, to, type: 'x', weight: 1, metadata: { note: 'secret' } } }) as const
const line = (scope: Scope, ids: readonly string[]) =>
  ({
    type: 'journal',
    line: { op: 'read', verb: 'recall', actor: 'secret-actor', reason: 'secret-reason', ids, scope },
  }) as const

/** Two versions of a record full of secrets, linked, journalled and under an idempotency key. */
async function secretRecord({ commit, clock }: ConformanceContext, id: string, scope: Scope, other?: string) {
  const fields = { id, scope, key: 'secret-key', tags: ['secret-tag'], metadata: { secret: 'secret' } }
  await commit([put({ ...fields, content: 'secret-one' }, { hash: 'secret-hash', vector: unitVector([1, 2]) })], {
    actor: 'secret-actor',
    reason: 'secret-reason',
    result: { id, version: 1 },
    idempotency: { scope, key: 'secret-idempotency', digest: 'd', expiresAt: clock() + 1000 },
  })
  await commit([
    put({ ...fields, content: 'secret-two' }, { op: 'update', vector: unitVector([2, 1]) }),
    line(scope, [id]),
    ...(other === undefined ? [] : [link(id, other), link(other, id)]),
  ])
}

export const eraseCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-ERA-1',
    title:
      'after an erase neither content nor key, id, scope values, actors, reasons, results or idempotency keys are left anywhere',
    async run(context) {
      const { store, commit, clock } = context
      const [id, scope] = ['secret-id', { userId: 'secret-user', namespace: ['secret-segment'] }]
      await secretRecord(context, id, scope)
      await commit([], { result: { outcome: 'duplicate', id }, reason: 'secret-reason' })
      await commit([line(scope, [])], { actor: 'secret-actor' })
      const { commits } = { commits: (await readLog(store)).entries.map((entry) => entry.id) }
      await store.erase(all, [id])
      const text = await everything(store, [])
      assert.ok(!text.includes('secret'), 'something is left after an erase')
      assert.deepEqual(await store.get(all, [id]), [null])
      assert.equal(await store.usedKey(scope, 'secret-idempotency', { now: clock() }), null)
      for (const tx of commits) assert.equal(await store.transaction(tx), null)
      assert.deepEqual(await store.journal(all, { limit: 100 }), [])
    },
  },
  {
    rule: 'STO-ERA-2',
    title:
      'what is left is one tombstone with a salted hash of the id, in the history and in the log; whoever knows the id finds it',
    async run(context) {
      const { store, clock } = context
      const scope = { userId: 'ann' }
      await secretRecord(context, 'a', scope)
      clock.advance(7)
      await store.erase(exactly(scope), ['a'], { tx: 'the-erase', at: clock() })
      const { entries } = await readLog(store)
      const [entry] = entries
      const [change] = (entry?.changes ?? []) as [Extract<LoggedChange, { type: 'remove' }>]
      assert.equal(entries.length, 1)
      assert.deepEqual([entry?.id, entry?.at, entry?.verb], ['the-erase', clock(), 'erase'])
      assert.ok(change.salt !== null && change.salt.length >= 16)
      const hash = erasedId(change.salt, 'a')
      const { salt } = change
      assert.deepEqual(entry?.changes, [
        { type: 'remove', op: 'erase', id: hash, salt, kind: 'semantic', scope: null, version: 3 },
      ])
      const tombstone = { id: hash, version: 3, tx: 'the-erase', at: formatInstant(clock()), op: 'erase', record: null }
      assert.deepEqual(await store.revisions(exactly(scope), 'a'), [tombstone])
      assert.deepEqual(await store.revisions(all, 'b'), [])
    },
  },
  {
    rule: 'STO-ERA-3',
    title: 'an erase counts what went: records, revisions, vectors, links, journal lines, idempotency keys',
    async run(context) {
      const { store, commit } = context
      const scope = { userId: 'ann' }
      await commit([put({ id: 'b', scope })])
      await secretRecord(context, 'a', scope, 'b')
      assert.deepEqual(await store.erase(all, ['a', 'a', 'nobody']), {
        records: 1,
        revisions: 2,
        vectors: 2,
        links: 2,
        journal: 1,
        idempotency: 1,
      })
    },
  },
  {
    rule: 'STO-ERA-4',
    title:
      'other records, their history, transactions, journal lines and keys stay; the journal is a whole chain again',
    async run(context) {
      const { store, commit, clock } = context
      const scope = { userId: 'ann' }
      const idempotency = { scope, key: 'k', digest: 'd', expiresAt: clock() + 1000 }
      const kept = await commit([put({ id: 'b', scope, content: 'kept' }), line(scope, ['b'])], {
        idempotency,
        reason: 'kept',
      })
      await secretRecord(context, 'a', scope, 'b')
      const both = await commit(
        [put({ id: 'b', scope, content: 'kept too' }), put({ id: 'a', scope }), line(scope, ['a', 'b'])],
        {
          reason: 'secret-reason',
          result: ['a', 'b'],
        },
      )
      await commit([line(scope, ['b'])])
      const before = await store.get(all, ['b'])
      await store.erase(all, ['a'])
      assert.deepEqual(await store.get(all, ['b']), before)
      const revisions = await store.revisions(all, 'b')
      assert.deepEqual(
        revisions.map(({ record, reason }) => [record?.content, reason]),
        [
          ['kept', 'kept'],
          ['kept too', undefined],
        ],
      )
      assert.deepEqual(await store.links(all, ['b']), [])
      assert.deepEqual((await store.usedKey(scope, 'k', { now: clock() }))?.tx, kept.tx)
      const rest = await store.transaction(both.tx)
      assert.deepEqual([rest?.changes.length, rest?.reason, rest?.result], [1, undefined, undefined])
      const lines = await store.journal(all, { limit: 10 })
      assert.deepEqual(
        lines.map(({ seq, ids, reason }) => [seq, ids, reason]),
        [
          [1, ['b'], 'secret-reason'],
          [2, ['b'], undefined],
          [3, ['b'], 'secret-reason'],
        ],
      )
    },
  },
  {
    rule: 'STO-ERA-5',
    title: 'records that name an erased one get the hash instead, in every version',
    async run({ store, commit, add }) {
      const { id: kept } = await add({
        supersedes: 'secret-id',
        source: { type: 'derived', from: ['other', 'secret-id'] },
      })
      await commit([put({ id: 'secret-id', supersededBy: kept })])
      await commit([put({ id: kept, supersedes: 'other', supersededBy: 'secret-id' }, { op: 'update' })])
      await store.erase(all, ['secret-id'])
      const revisions = await store.revisions(all, kept)
      const [hash] = (await store.revisions(all, 'secret-id')).map(({ id }) => id)
      assert.deepEqual([revisions[0]?.record?.supersedes, revisions[0]?.record?.source.from], [hash, ['other', hash]])
      assert.deepEqual([revisions[1]?.record?.supersedes, revisions[1]?.record?.supersededBy], ['other', hash])
      assert.equal((await store.get(all, [kept]))[0]?.record.supersededBy, hash)
      assert.ok(!(await everything(store, [kept])).includes('secret'))
    },
  },
  {
    rule: 'STO-ERA-6',
    title: 'an erased record is not in the past either; its id may come back anywhere, and its versions go on',
    async run(context) {
      const { store, commit, clock } = context
      await secretRecord(context, 'a', { userId: 'ann' })
      const [{ cursor }, time] = [await store.log(null), clock()]
      clock.advance(1)
      await store.erase(all, ['a'])
      for (const asOf of [{ time }, { position: cursor }]) {
        assert.deepEqual(await store.get(all, ['a'], { asOf }), [null])
        assert.deepEqual(await listIds(store, all, {}, { asOf }), [])
      }
      const { records } = await commit([put({ id: 'a', scope: { userId: 'bob' } })])
      assert.equal(records[0]?.version, 4)
      const revisions = await store.revisions(all, 'a')
      assert.deepEqual(
        revisions.map(({ version, op }) => [version, op]),
        [
          [3, 'erase'],
          [4, 'add'],
        ],
      )
    },
  },
  {
    rule: 'STO-ERA-7',
    title: 'the tombstone of a removed record can be erased, and cursors from before an erase still work',
    async run(context) {
      const { store, commit } = context
      await secretRecord(context, 'secret-id', { userId: 'secret-user' })
      const { cursor: early } = await store.log(null, { limit: 1 })
      await commit([{ type: 'remove', op: 'delete', id: 'secret-id' }])
      const { cursor: late } = await store.log(null)
      const counts = await store.erase(all, ['secret-id'], { tx: 'the-erase' })
      assert.deepEqual([counts.records, counts.revisions, counts.vectors], [0, 3, 0])
      assert.ok(!(await everything(store, [])).includes('secret'))
      for (const cursor of [early, late]) {
        assert.deepEqual(
          (await readLog(store, cursor)).entries.map(({ id }) => id),
          ['the-erase'],
        )
      }
    },
  },
  {
    rule: 'STO-ERA-8',
    title: 'an erase keeps the time of its owner: never before the last commit, and commits go on from it',
    async run({ store, add, commit, clock }) {
      const scope = { userId: 'ann' }
      const start = clock()
      const { id } = await add({ scope })
      await add({ scope })
      await store.erase(all, [id], { tx: 'early', at: start - 5000 })
      assert.equal((await store.transaction('early'))?.at, start)
      const other = await add({ scope })
      await store.erase(all, [other.id], { tx: 'late', at: start + 5000 })
      assert.equal((await commit([line(scope, [])])).at, start + 5000)
    },
  },
  {
    rule: 'STO-ERA-9',
    title: 'a transaction id that was used is CONFLICT for an erase, whatever is visible, and nothing goes',
    async run({ store, commit, transaction }) {
      const { tx } = await commit([put({ id: 'a' }), put({ id: 'b' }), put({ id: 'c' })])
      const refused = (ids: readonly string[], used: string) =>
        refuses(store.erase(all, ids, { tx: used }), 'CONFLICT', { precondition: 'transaction', id: used })
      const before = await everything(store, ['a', 'b', 'c'])
      await refused(['a'], tx)
      await refused(['nobody'], tx)
      assert.equal(await everything(store, ['a', 'b', 'c']), before)
      await store.erase(all, ['a'], { tx: 'the-erase' })
      const after = await everything(store, ['a', 'b', 'c'])
      await refused(['a'], 'the-erase')
      await refused(['b'], 'the-erase')
      await refuses(store.commit(transaction([], { id: 'the-erase' })), 'CONFLICT', { precondition: 'transaction' })
      assert.equal(await everything(store, ['a', 'b', 'c']), after)
      // One that found nothing to erase left nothing in the log: its id is free.
      await store.erase(all, ['nobody'], { tx: 'unused' })
      assert.equal(await store.transaction('unused'), null)
      assert.equal((await store.erase(all, ['b'], { tx: 'unused' })).records, 1)
      // That of a transaction of which an erase left nothing is not.
      await store.erase(all, ['c'])
      assert.equal(await store.transaction(tx), null)
      await refused(['nobody'], tx)
    },
  },
]
