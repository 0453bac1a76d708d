import assert from 'node:assert/strict'
import { brokenJournalLine, journalDigest } from '../../contract/index.ts'
import { allScopes, ownerKey, within } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { plain, readLog, refuses } from '../expectations.ts'

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
    rule: 'STO-JRN-5',
    title:
      'lines of a transaction that is gone are chained as given, at their moment, next in their chain or CONFLICT; the log never shows it',
    async run({ store, commit, transaction, add, clock }) {
      const session = { ...scope, sessionId: 's' }
      const at = clock()
      const gone = (tx: string, moment: number, seq: number, lines: readonly ReturnType<typeof line>[]) =>
        store.commit({ ...transaction([...lines]), id: tx, at: moment, gone: { seq } })
      const first = await gone('x', at - 5, 1, [line({ ids: ['a'] }), line({ ids: ['b'], scope: session })])
      assert.deepEqual([first.tx, first.at, first.replayed, first.records], ['x', at - 5, false, []])
      // A transaction may have had lines of several owners.
      await gone('x', at - 5, 1, [line({ ids: ['c'], scope: { userId: 'bob' } })])
      for (const seq of [1, 2, 4]) {
        await refuses(gone('y', at, seq, [line()]), 'CONFLICT', { precondition: 'journal' })
      }
      const { tx } = await commit([line({ verb: 'get' })])
      await gone('y', at + 1000, 4, [line({ verb: 'list' })])
      const chain = await store.journal(within(scope), { limit: 10 })
      assert.deepEqual(
        chain.map((entry) => [entry.seq, entry.tx, entry.at, entry.ids]),
        [
          [1, 'x', at - 5, ['a']],
          [2, 'x', at - 5, ['b']],
          [3, tx, at, []],
          [4, 'y', at + 1000, []],
        ],
      )
      assert.equal(brokenJournalLine(await store.journal(all, { limit: 10 })), null)
      assert.deepEqual(
        new Map((await store.journalEnds()).map(({ owner, seq }) => [owner, seq])).get(ownerKey(scope)),
        4,
      )
      assert.deepEqual(await store.transaction('x'), null)
      // It moves no clock.
      const record = await add({ scope })
      assert.equal(Date.parse(record.createdAt), at)
      const last = await commit([put({ id: 'later' })])
      const { entries } = await readLog(store)
      assert.deepEqual(entries.map(({ id }) => id).length, 3)
      assert.deepEqual([entries[0]?.id, entries[2]?.id], [tx, last.tx])
      assert.deepEqual((await store.log(entries[2]?.cursor ?? null)).entries, [])
      assert.deepEqual(await store.verify(), [])
      const { journal } = await store.erase(all, ['later'])
      assert.equal(journal, 0)
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
