import assert from 'node:assert/strict'
import { allScopes, exactly, within } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { plain, refuses } from '../expectations.ts'

const all = allScopes()

export const linkCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-LNK-1',
    title: 'links have a direction and a type: one of each between two records, and a new one replaces it',
    async run({ store, commit, ids }) {
      const [a, b, c] = [ids(), ids(), ids()]
      const links = [
        { from: a, to: b, type: 'x', weight: 0.5, metadata: JSON.parse('{"__proto__":1,"é":[null,"\\ud800"]}') },
        { from: b, to: a, type: 'x', weight: 1, metadata: {} },
        { from: a, to: b, type: 'X %', weight: 0, metadata: {} },
        { from: a, to: a, type: 'x', weight: 1, metadata: {} },
        { from: b, to: c, type: 'x', weight: 1, metadata: {} },
      ]
      await commit([...[a, b, c].map((id) => put({ id })), ...links.map((link) => ({ type: 'link' as const, link }))])
      const sorted = (list: readonly object[]) => list.map((each) => JSON.stringify(each)).sort()
      assert.deepEqual(sorted(await store.links(all, [a, b, c])), sorted(links))
      assert.deepEqual(sorted(await store.links(all, [a])), sorted(links.slice(0, 4)))
      assert.deepEqual(sorted(await store.links(all, [c, c])), sorted(links.slice(4)))
      assert.deepEqual(await store.links(all, ['nobody']), [])
      assert.deepEqual(await store.links(all, []), [])
      const replaced = { from: a, to: b, type: 'x', weight: 0.1, metadata: { new: true } }
      await commit([
        { type: 'link', link: replaced },
        { type: 'unlink', from: a, to: a, linkType: 'x' },
      ])
      assert.deepEqual(sorted(await store.links(all, [a])), sorted([replaced, ...links.slice(1, 3)]))
    },
  },
  {
    rule: 'STO-LNK-2',
    title: 'a link needs records at both ends: else CONFLICT names the one that is not there',
    async run({ commit, add }) {
      const { id } = await add()
      const { id: gone } = await add()
      await commit([{ type: 'remove', op: 'delete', id: gone }])
      for (const missing of ['nobody', gone]) {
        const ends = [
          { from: id, to: missing },
          { from: missing, to: id },
        ]
        for (const end of ends) {
          const link = { ...end, type: 'x', weight: 1, metadata: {} }
          await refuses(commit([{ type: 'link', link }]), 'CONFLICT', { precondition: 'link', id: missing })
        }
      }
    },
  },
  {
    rule: 'STO-LNK-3',
    title: 'a link between scopes is seen by those who see both ends',
    async run({ store, add, commit }) {
      const [user, session] = [{ userId: 'ann' }, { userId: 'ann', sessionId: 's' }]
      const [a, b] = [await add({ scope: user }), await add({ scope: session })]
      const link = { from: a.id, to: b.id, type: 'x', weight: 1, metadata: {} }
      await commit([{ type: 'link', link }])
      assert.deepEqual(plain(await store.links(within(user), [a.id])), [link])
      assert.deepEqual(await store.links(exactly(user), [a.id]), [])
      assert.deepEqual(await store.links(within(session), [b.id]), [])
      const { entries } = await store.log(null)
      assert.deepEqual(plain(entries[2]?.changes), [{ type: 'link', link, previous: null, scope: user }])
    },
  },
  {
    rule: 'STO-LNK-4',
    title: 'the log says what a link was before it was replaced and what the link was that went',
    async run({ store, commit, ids }) {
      const [a, b] = [ids(), ids()]
      const scope = { userId: 'ann' }
      const first = { from: a, to: b, type: 'x', weight: 0.5, metadata: { n: 1 } }
      const second = { ...first, weight: 1, metadata: { n: 2 } }
      await commit([put({ id: a }), put({ id: b }), { type: 'link', link: first }, { type: 'link', link: second }])
      await commit([{ type: 'unlink', from: a, to: b, linkType: 'x' }])
      await commit([{ type: 'link', link: first }])
      const { entries } = await store.log(null)
      const changes = entries.flatMap((entry) => entry.changes).filter(({ type }) => type !== 'put')
      assert.deepEqual(plain(changes), [
        { type: 'link', link: first, previous: null, scope },
        { type: 'link', link: second, previous: first, scope },
        { type: 'unlink', link: second, scope },
        { type: 'link', link: first, previous: null, scope },
      ])
    },
  },
]
