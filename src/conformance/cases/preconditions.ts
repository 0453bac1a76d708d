import assert from 'node:assert/strict'
import type { Precondition } from '../../contract/index.ts'
import { allScopes, type Status } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { listIds, race, refuses } from '../expectations.ts'

const all = allScopes()
const scope = { userId: 'ann' }
const notLive: readonly Status[] = ['superseded', 'invalid', 'archived', 'quarantined']

const noKey = (fields: object = {}): Precondition => ({ type: 'noKey', scope, kind: 'semantic', key: 'k', ...fields })
const noContent = (fields: object = {}): Precondition => ({
  type: 'noContent',
  scope,
  kind: 'semantic',
  hash: 'h',
  ...fields,
})

export const preconditionCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-PRE-1',
    title:
      'a version precondition holds at exactly that version, and null while there is no such record; else VERSION_CONFLICT',
    async run({ commit, ids }) {
      const id = ids()
      const requires = (is: number | null) => ({ requires: [{ type: 'version', id, is }] as const })
      const details = { precondition: 'version', id }
      await refuses(commit([put({ id })], requires(1)), 'VERSION_CONFLICT', details)
      await commit([put({ id })], requires(null))
      await refuses(commit([put({ id })], requires(null)), 'VERSION_CONFLICT', details)
      await refuses(commit([put({ id })], requires(2)), 'VERSION_CONFLICT', details)
      await commit([put({ id })], requires(1))
      await commit([{ type: 'remove', op: 'delete', id }], requires(2))
      await refuses(commit([put({ id })], requires(3)), 'VERSION_CONFLICT', details)
      await commit([put({ id })], requires(null))
      await commit([], requires(4))
    },
  },
  {
    rule: 'STO-PRE-2',
    title: 'noKey holds while no live record has the key in that exact scope and kind; else CONFLICT names the record',
    async run({ commit, add, ids }) {
      const { id } = await add({ scope, key: 'k' })
      await refuses(commit([], { requires: [noKey()] }), 'CONFLICT', { precondition: 'noKey', id })
      const others = [
        { key: 'K' },
        { key: 'k ' },
        { kind: 'kv' },
        { scope: { ...scope, sessionId: 's' } },
        { scope: { userId: 'bob' } },
      ]
      await commit([], { requires: others.map(noKey) })
      for (const status of notLive) {
        await commit([put({ id, scope, key: 'k', status })])
        await commit([], { requires: [noKey()] })
      }
      await commit([put({ id, scope, key: 'other' })])
      await commit([put({ id: ids(), scope, key: 'k' })], { requires: [noKey()] })
      // A store takes what nobody required to be free: of several the oldest is named.
      const oldest = ids()
      await commit([put({ id: oldest, scope, key: 'k', createdAt: '1999-12-31T00:00:00.000Z' })])
      await refuses(commit([], { requires: [noKey()] }), 'CONFLICT', { id: oldest })
    },
  },
  {
    rule: 'STO-PRE-3',
    title:
      'noContent holds while no live record has the digest in that exact scope and kind; else CONFLICT names the record',
    async run({ commit, add }) {
      const { id } = await add({ scope }, { hash: 'h' })
      await refuses(commit([], { requires: [noContent()] }), 'CONFLICT', { precondition: 'noContent', id })
      const others = [
        { hash: 'H' },
        { kind: 'episodic' },
        { scope: { ...scope, agentId: 'a' } },
        { scope: { userId: 'bob' } },
      ]
      await commit([], { requires: others.map(noContent) })
      for (const status of notLive) {
        await commit([put({ id, scope, status }, { hash: 'h' })])
        await commit([], { requires: [noContent()] })
      }
      await commit([put({ id, scope }, { hash: 'h' })])
      await refuses(commit([], { requires: [noContent()] }), 'CONFLICT')
      await commit([put({ id, scope }, { hash: null })])
      await commit([], { requires: [noContent()] })
      await commit([put({ id, scope }, { hash: 'h' })])
      await commit([{ type: 'remove', op: 'delete', id }], { requires: [noContent({ hash: 'other' })] })
      await commit([], { requires: [noContent()] })
    },
  },
  {
    rule: 'STO-PRE-4',
    title: 'keys and digests are guarded by preconditions only: without one they may repeat',
    async run({ store, commit, ids }) {
      await commit([
        put({ id: ids(), scope, key: 'k' }, { hash: 'h' }),
        put({ id: ids(), scope, key: 'k' }, { hash: 'h' }),
      ])
      assert.equal((await listIds(store, all, { key: 'k', hash: 'h' })).length, 2)
    },
  },
  {
    rule: 'STO-PRE-7',
    title: 'holders names, for many keys and digests at once, the oldest live record of each, expired ones too',
    async run({ store, commit, ids }) {
      const [first, second, hidden, elsewhere] = [ids(), ids(), ids(), ids()]
      const old = { createdAt: '2020-01-01T00:00:00.000Z', expiresAt: '2020-01-02T00:00:00.000Z' }
      await commit([
        put({ id: second, scope, key: 'k' }, { hash: 'h' }),
        put({ id: first, scope, key: 'k', ...old }, { hash: 'h' }),
        put({ id: hidden, scope, key: 'gone', status: 'invalid' }, { hash: 'gone' }),
        put({ id: elsewhere, scope: { userId: 'bob' }, key: 'b' }, { hash: 'b' }),
      ])
      const claim = (type: 'key' | 'content', value: string, where = scope) => ({
        type,
        scope: where,
        kind: 'semantic',
        value,
      })
      const claims = [
        claim('key', 'k'),
        claim('content', 'h'),
        claim('key', 'h'),
        claim('key', 'gone'),
        claim('content', 'gone'),
        claim('content', 'b'),
        claim('content', 'b', { userId: 'bob' }),
      ]
      const found = await store.holders(claims)
      assert.deepEqual(
        found.map((stored) => stored?.record.id ?? null),
        [first, first, null, null, null, null, elsewhere],
      )
      assert.deepEqual(await store.holders([]), [])
    },
  },
  {
    rule: 'STO-PRE-5',
    title: 'preconditions look at the state before the transaction, not at its own changes; all of them must hold',
    async run({ store, commit, add, ids }) {
      const { id } = await add({ scope, key: 'k' }, { hash: 'h' })
      const fresh = ids()
      await commit([put({ id: fresh, scope, key: 'new' }, { hash: 'new' })], {
        requires: [
          { type: 'version', id: fresh, is: null },
          { type: 'version', id, is: 1 },
          noKey({ key: 'new' }),
          noContent({ hash: 'new' }),
        ],
      })
      const removing = [{ type: 'remove', op: 'delete', id }, put({ id: ids(), scope, key: 'k' })] as const
      await refuses(commit(removing, { requires: [noKey()] }), 'CONFLICT', { id })
      const oneFails = [
        { type: 'version', id, is: 1 },
        noKey({ key: 'free' }),
        { type: 'version', id: fresh, is: 7 },
      ] as const
      await refuses(commit(removing, { requires: oneFails }), 'VERSION_CONFLICT', { id: fresh })
      assert.equal((await store.get(all, [id]))[0]?.record.version, 1)
    },
  },
  {
    rule: 'STO-PRE-6',
    title: 'of commits that race for a version, a new id, a key or a content, exactly one wins',
    async run({ store, commit, add, ids }) {
      const contenders = 8
      for (let round = 0; round < 5; round++) {
        const { id } = await add({ scope })
        const [fresh, key, hash] = [ids(), `k${round}`, `h${round}`]
        const races = {
          version: () => commit([put({ id, scope })], { requires: [{ type: 'version', id, is: 1 }] }),
          newId: () => commit([put({ id: fresh, scope })], { requires: [{ type: 'version', id: fresh, is: null }] }),
          noKey: () => commit([put({ id: ids(), scope, key })], { requires: [noKey({ key })] }),
          noContent: () => commit([put({ id: ids(), scope }, { hash })], { requires: [noContent({ hash })] }),
        }
        for (const [name, contender] of Object.entries(races)) {
          const { won, lost } = await race(Array.from({ length: contenders }, () => contender))
          assert.equal(won.length, 1, `${name}: winners`)
          for (const error of lost) {
            await refuses(
              Promise.reject(error),
              name === 'version' || name === 'newId' ? 'VERSION_CONFLICT' : 'CONFLICT',
            )
          }
        }
        assert.equal((await store.get(all, [id]))[0]?.record.version, 2)
        assert.equal((await listIds(store, all, { key })).length, 1)
        assert.equal((await listIds(store, all, { hash })).length, 1)
      }
    },
  },
]
