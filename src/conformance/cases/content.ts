import assert from 'node:assert/strict'
import { allScopes, maxContentBytes } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { listAll, readLog } from '../expectations.ts'
import { hostileLabels } from './hostile-labels.ts'

const all = allScopes()

function nested(depth: number): unknown {
  let value: unknown = 'deep'
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { n: value }
  return value
}

export const contentCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-RND-1',
    title: 'texts come back exactly: quotes, NUL, lone surrogates, emoji, right-to-left, line ends, 1 MiB',
    async run({ store, commit, ids }) {
      const texts = [
        ...hostileLabels,
        'שלום\u200f "עולם" مرحبا',
        'a\r\nb\rc\u2028d',
        'x'.repeat(maxContentBytes),
        '記'.repeat(maxContentBytes / 3),
      ]
      const puts = texts.map((content) =>
        put({ id: ids(), content }, { analysis: { analyser: 'a', terms: [], tokens: [], shape: 0 } }),
      )
      const { records } = await commit(puts)
      assert.deepEqual(
        records.map(({ content }) => content),
        texts,
      )
      const got = await store.get(
        all,
        records.map(({ id }) => id),
      )
      for (const [i, stored] of got.entries()) assert.ok(stored?.record.content === texts[i], `text ${i} from get`)
      const listed = await listAll(store, all)
      assert.equal(listed.length, texts.length)
      for (const stored of listed) assert.ok(texts.includes(stored.record.content), 'a text from list')
      const { entries } = await readLog(store)
      for (const [i, change] of (entries[0]?.changes ?? []).entries()) {
        assert.ok(change.type === 'put' && change.stored?.record.content === texts[i], `text ${i} from the log`)
      }
    },
  },
  {
    rule: 'STO-RND-2',
    title: 'every field of a record comes back exactly, and a field that was not given is not there',
    async run({ store, add, ids, clock }) {
      const full = {
        id: ids(),
        kind: 'My kind "%" 記憶',
        content: 'content',
        data: { list: [1, 2.5, -1e-7, 1e21, null, true, 'x'], empty: {}, none: [] },
        key: "key '%' é",
        scope: { appId: 'a', userId: 'b', agentId: 'c', sessionId: 'd', namespace: ['e', 'f'] },
        tags: ['one', ' ', 'Ω', '\ud800', "a'b"],
        metadata: { city: 'Bremen' },
        importance: 0.123456789,
        confidence: 0,
        reliability: 1,
        source: { type: 'web', actor: 'who', ref: 'https://example.org/?a=%20', quote: 'q', from: ['x', 'y'] } as const,
        trust: 'untrusted' as const,
        eventTime: {
          start: '2024-02-29T23:59:59.999Z',
          end: '2024-03-01T00:00:00.000Z',
          zone: 'Asia/Kolkata',
          granularity: 'day',
        } as const,
        validFrom: '0001-01-01T00:00:00.000Z',
        validTo: '9999-12-31T23:59:59.999Z',
        lastAccessedAt: '2025-01-01T00:00:00.000Z',
        accessCount: 3,
        expiresAt: '2100-01-01T00:00:00.000Z',
        pinned: true,
        status: 'superseded' as const,
        supersedes: 'older',
        supersededBy: 'newer',
        version: 4,
        createdAt: '2024-01-01T00:00:00.000Z',
        updatedAt: '2024-01-02T00:00:00.000Z',
      }
      assert.deepEqual(await add(full), full)
      const bare = await add()
      const at = new Date(clock()).toISOString()
      assert.deepEqual(
        Object.keys(bare).filter((key) => bare[key as 'id'] === undefined),
        [],
      )
      assert.deepEqual(
        [bare.createdAt, bare.updatedAt, 'key' in bare, 'data' in bare, 'expiresAt' in bare],
        [at, at, false, false, false],
      )
      const got = await store.get(all, [full.id, bare.id])
      assert.deepEqual(
        got.map((stored) => stored?.record),
        [full, bare],
      )
      assert.deepEqual((await store.revisions(all, full.id))[0]?.record, full)
    },
  },
  {
    rule: 'STO-RND-3',
    title: 'metadata and data come back exactly: own keys such as __proto__, any characters in keys, deep nesting',
    async run({ store, add }) {
      const names = Object.fromEntries(hostileLabels.map((label, i) => [label, i]))
      const metadata = { names, proto: JSON.parse('{"__proto__":{"constructor":1},"a":2}'), deep: nested(90) } as never
      for (const data of [metadata, null, 0, '', false, [], {}]) {
        const record = await add({ metadata, data })
        const [stored] = await store.get(all, [record.id])
        assert.equal(JSON.stringify(stored?.record.metadata), JSON.stringify(metadata))
        assert.deepEqual(stored?.record.data, data)
        assert.deepEqual(stored?.record, record)
      }
    },
  },
  {
    rule: 'STO-RND-4',
    title:
      'vectors come back bit by bit, also from a part of a larger buffer; ids of any well-formed text are kept apart',
    async run({ store, commit, ids }) {
      const large = Float32Array.from([9, 0.1, -0, 1e-45, 3.4028234663852886e38, -1.1754943508222875e-38, 1 / 3, 9])
      const values = large.subarray(1, 7)
      const id = ids()
      await commit([put({ id }, { vector: { space: 's', values } })])
      const kept = (await store.get(all, [id]))[0]?.vector
      assert.ok(kept && kept.values instanceof Float32Array)
      assert.deepEqual(new Uint32Array(kept.values.slice().buffer), new Uint32Array(values.slice().buffer))

      const names = hostileLabels.filter(
        (label) => label.length <= 512 && label.isWellFormed() && !label.includes('\u0000'),
      )
      await commit(names.map((name) => put({ id: name, content: name, key: name })))
      const got = await store.get(all, names)
      assert.deepEqual(
        got.map((stored) => stored?.record.content),
        names,
      )
      for (const name of names) {
        assert.deepEqual(
          (await listAll(store, all, { key: name })).map(({ record }) => record.id),
          [name],
        )
        assert.equal((await store.revisions(all, name)).length, 1)
      }
    },
  },
]
