import assert from 'node:assert/strict'
import type { Analysis } from '../../contract/index.ts'
import { allScopes, formatInstant, within } from '../../model/index.ts'
import { plainAnalysis, put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { searchWindow } from './search-window.ts'

const session = (sessionId: string) => ({ userId: 'ann', sessionId })

function turn(id: string, actor: string, sessionId: string, content: string, tokens: number[], minute: number) {
  const analysis: Analysis = { ...plainAnalysis(content), tokens, shape: minute }
  const eventTime = { start: formatInstant(minute * 60_000) }
  const source = { type: actor === 'Bot' ? ('assistant' as const) : ('user' as const), actor }
  return put(
    { id, scope: session(sessionId), content, source, eventTime },
    { analysis, vector: unitVector([minute, 1]) },
  )
}

/** Two sessions; turns are written in another order than they were said. */
async function talk({ commit }: ConformanceContext): Promise<void> {
  await commit([
    turn('c', 'Ann', 's1', 'tea with milk', [1, 2, 3], 3),
    turn('a', 'Ann', 's1', 'hello', [4], 1),
    turn('b', 'Bot', 's1', 'hello tea', [1, 4], 2),
    turn('d', 'Ann', 's2', 'tea', [1], 1),
  ])
}

export const turnCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-TRN-1',
    title: 'the actors of what the read sees are named with their roles, those of other scopes are not',
    needs: ['turns'],
    async run(context) {
      await talk(context)
      const actors = async (sessionId: string) => {
        const found = await context.facet('turns').actors(within(session(sessionId)), searchWindow())
        return found.map(({ name, role }) => `${name} ${role}`).sort()
      }
      assert.deepEqual(await actors('s1'), ['Ann user', 'Bot assistant'])
      assert.deepEqual(await actors('s2'), ['Ann user'])
      assert.deepEqual(await actors('s3'), [])
    },
  },
  {
    rule: 'STO-TRN-2',
    title:
      'a turn is described with its actor, tokens, shape, and its place in its thread by event time; ids that are not visible are left out',
    needs: ['turns'],
    async run(context) {
      await talk(context)
      const query = { terms: ['tea'], tokens: [1, 4, 9], space: 'test', vector: unitVector([1, 0]).values }
      const window = searchWindow()
      const seen = await context
        .facet('turns')
        .describe(allScopes(), { keyed: ['c', 'nobody', 'a', 'b', 'd'] }, query, window)
      assert.deepEqual(
        seen.turns.map(({ id, actor, tokens, shape, position }) => [id, actor, [...tokens], shape, position]),
        [
          ['c', 'Ann', [1, 2, 3], 3, 2],
          ['a', 'Ann', [4], 1, 0],
          ['b', 'Bot', [1, 4], 2, 1],
          ['d', 'Ann', [1], 1, 0],
        ],
      )
      const [c, a, b, d] = seen.turns
      assert.ok(c?.thread !== null && c?.thread === a?.thread && b?.thread === c?.thread && d?.thread !== c?.thread)
      assert.deepEqual([...seen.tokenFrequencies], [3, 2, 0])
      assert.ok(Math.abs(seen.averageTokens - 7 / 4) < 1e-9)
      assert.ok(Math.abs((c?.cosine ?? 0) - 3 / Math.hypot(3, 1)) < 1e-5)
      assert.deepEqual([a?.bm25, (c?.bm25 ?? 0) > 0, (d?.bm25 ?? 0) > (c?.bm25 ?? 0)], [0, true, true])

      const stored = await context.store.get(allScopes(), ['c', 'd'])
      for (const [turn, i] of [[c, 0] as const, [d, 1] as const]) {
        const { createdAt, importance, reliability } = stored[i]!.record
        assert.deepEqual(
          [turn?.createdAt, turn?.importance, turn?.reliability],
          [Date.parse(createdAt), importance, reliability],
        )
      }

      // What hits say is taken as it is, and only what they don't is worked out; a record is described once.
      const { tokens: _t, ...noTokens } = query
      const found = { keyed: ['d'], text: [{ id: 'c', score: 7 }], near: [{ id: 'd', cosine: 0.25 }] }
      const again = await context.facet('turns').describe(allScopes(), found, noTokens, window)
      assert.deepEqual(
        again.turns.map(({ id, bm25, cosine, tokens, keyMatch }) => [id, bm25, cosine, [...tokens], keyMatch]),
        [
          ['d', d?.bm25, 0.25, [], true],
          ['c', 7, c?.cosine, [], false],
        ],
      )

      const { vector: _, space: __, ...textOnly } = query
      const inside = await context
        .facet('turns')
        .describe(within(session('s2')), { keyed: ['c', 'd'] }, textOnly, window)
      assert.deepEqual(
        inside.turns.map(({ id, cosine }) => [id, cosine]),
        [['d', null]],
      )
      assert.deepEqual([...inside.tokenFrequencies], [1, 0, 0])
    },
  },
  {
    rule: 'STO-TRN-3',
    title:
      'arrivals are in the order of first writes: a later version keeps its place, what is removed has none, what comes back is last',
    needs: ['turns'],
    async run(context) {
      const { commit, facet } = context
      await talk(context)
      const order = async (ids: readonly string[]) => {
        const arrivals = await facet('turns').arrivals(ids)
        assert.equal(arrivals.length, ids.length)
        const there = ids.flatMap((id, i) => (arrivals[i] === null ? [] : [{ id, at: arrivals[i] as number }]))
        return there.sort((a, b) => a.at - b.at).map(({ id }) => id)
      }
      assert.deepEqual(await order(['a', 'b', 'nobody', 'c', 'd']), ['c', 'a', 'b', 'd'])
      await commit([turn('c', 'Ann', 's1', 'tea without milk', [1], 9)])
      assert.deepEqual(await order(['d', 'c', 'b', 'a']), ['c', 'a', 'b', 'd'])
      await commit([{ type: 'remove', op: 'delete', id: 'a' }])
      assert.deepEqual(await order(['d', 'c', 'b', 'a']), ['c', 'b', 'd'])
      await commit([turn('a', 'Ann', 's1', 'hello', [4], 1)])
      assert.deepEqual(await order(['d', 'c', 'b', 'a']), ['c', 'b', 'd', 'a'])
      assert.deepEqual(await facet('turns').arrivals([]), [])
    },
  },
]
