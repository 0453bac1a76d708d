import assert from 'node:assert/strict'
import { brokenJournalLine, journalDigest } from '../../contract/index.ts'
import { allScopes, ownerKey, within } from '../../model/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { plain } from '../expectations.ts'

const all = allScopes()
const scope = { userId: 'ann' }
const line = (fields: object = {}) =>
  ({ type: 'journal', line: { op: 'read', verb: 'search', ids: [], scope, ...fields } }) as const

export const journalCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-JRN-1',
    title:
      'a journal line is kept as written, with its place, moment, transaction and the digest that chains it to the one before',
    async run({ store, commit, clock }) {
      const first = await commit([
        line({ actor: 'ann "%\ud800', reason: 'why', ids: ['a', 'b'] }),
        line({ op: 'write' }),
      ])
      clock.advance(5)
      const second = await commit([line({ verb: 'get' })])
      const entries = await store.journal(all, { limit: 10 })
      const expected = [
        {
          op: 'read',
          verb: 'search',
          actor: 'ann "%\ud800',
          reason: 'why',
          ids: ['a', 'b'],
          scope,
          seq: 1,
          at: first.at,
          tx: first.tx,
        },
        { op: 'write', verb: 'search', ids: [], scope, seq: 2, at: first.at, tx: first.tx },
        { op: 'read', verb: 'get', ids: [], scope, seq: 3, at: second.at, tx: second.tx },
      ] as const
      let digest = ''
      for (const [i, entry] of expected.entries()) {
        digest = journalDigest(digest, entry)
        assert.deepEqual(plain(entries[i]), { ...entry, digest })
      }
      assert.equal(entries.length, 3)
    },
  },
  {
    rule: 'STO-JRN-2',
    title: 'every owner has a chain of its own, also when many write at once; the scopes of an owner share it',
    async run({ store, commit }) {
      const scopes = [scope, { ...scope, sessionId: 's' }, { userId: 'bob' }, { appId: 'x', userId: 'ann' }]
      await Promise.all(
        Array.from({ length: 40 }, (_, i) => commit([line({ scope: scopes[i % 4] }), line({ scope: scopes[i % 3] })])),
      )
      const entries = await store.journal(all, { limit: 1000 })
      assert.equal(entries.length, 80)
      assert.equal(brokenJournalLine(entries), null)
      const longest = Math.max(
        ...entries.filter((entry) => ownerKey(entry.scope) === ownerKey(scope)).map(({ seq }) => seq),
      )
      assert.equal(longest, entries.filter((entry) => ownerKey(entry.scope) === ownerKey(scope)).length)
    },
  },
  {
    rule: 'STO-JRN-3',
    title: 'the journal is read in order of seq from any place on; lines of one seq are not parted',
    async run({ store, commit }) {
      for (let i = 0; i < 5; i++) await commit([line(), line({ scope: { userId: 'bob' } })])
      const whole = await store.journal(all, { limit: 100 })
      assert.deepEqual(
        whole.map(({ seq }) => seq),
        [1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
      )
      for (const limit of [1, 2, 3, 4]) {
        const pages = []
        for (let after = 0; ; ) {
          const page = await store.journal(all, { after, limit })
          if (page.length === 0) break
          assert.ok(page.length >= Math.min(limit, whole.length - pages.length))
          pages.push(...page)
          after = page.at(-1)?.seq ?? 0
        }
        assert.deepEqual(pages, whole)
      }
      const anns = await store.journal(within(scope), { after: 1, limit: 2 })
      assert.deepEqual(
        anns.map(({ seq, scope: { userId } }) => [seq, userId]),
        [
          [2, 'ann'],
          [3, 'ann'],
        ],
      )
    },
  },
  {
    rule: 'STO-JRN-4',
    title: 'journalEnds tells the owner and the last seq of every chain',
    async run({ store, commit }) {
      assert.deepEqual(await store.journalEnds(), [])
      const bob = { userId: 'bob' }
      await commit([line(), line({ scope: { ...scope, sessionId: 's' } }), line({ scope: bob })])
      await commit([line()])
      const ends = new Map((await store.journalEnds()).map(({ owner, seq }) => [owner, seq]))
      assert.deepEqual(
        [...ends].sort(),
        [
          [ownerKey(scope), 3],
          [ownerKey(bob), 1],
        ].sort(),
      )
    },
  },
]
