import assert from 'node:assert/strict'
import {
  type GraphStart,
  type GraphStep,
  type GraphView,
  isReservedKind,
  type MemoryStore,
} from '../../contract/index.ts'
import { allScopes, exactly, formatInstant, isExpired, type Link, type ScopeFilter, within } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { plain } from '../expectations.ts'

/** Numbers from 0 up to and without `below`, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** What links and records tell, asked step by step. */
async function stepwise(
  store: MemoryStore,
  scope: ScopeFilter,
  start: GraphStart,
  { now, lifetimes, types }: GraphView,
): Promise<GraphStep[]> {
  const steps: GraphStep[] = []
  const seen = new Set([start.id])
  let left = start.most
  for (let from = [start.id]; steps.length < start.depth && from.length > 0 && left > 0; ) {
    const links = (await store.links(scope, from)).filter(({ type }) => types === undefined || types.includes(type))
    const strongest = new Map<string, number>()
    for (const { from: one, to: other, weight } of links) {
      for (const id of [one, other]) if (!seen.has(id)) strongest.set(id, Math.max(strongest.get(id) ?? 0, weight))
    }
    const next = [...strongest].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([id]) => id)
    for (const id of next) seen.add(id)
    const records = (await store.get(scope, next)).flatMap((stored) => {
      const record = stored?.record
      const shown = record?.status === 'live' && !isReservedKind(record.kind) && !isExpired(record, now, lifetimes)
      return shown ? [record] : []
    })
    steps.push({ links, records: records.slice(0, left), more: records.length > left })
    from = records.slice(0, left).map(({ id }) => id)
    left -= from.length
  }
  return steps
}

const scopes = [{ userId: 'ann' }, { userId: 'ann', sessionId: 's' }, { appId: 'app', userId: 'bob' }]
const types = ['x', 'X %', 'é"']

/** Records of all sorts, linked at random. */
async function settle({ commit, ids, clock }: ConformanceContext, seed: number): Promise<string[]> {
  const pick = numbers(seed)
  const all = Array.from({ length: 30 }, () => ids())
  const one = <T>(list: readonly T[]) => list[pick(list.length)] as T
  await commit(
    all.map((id) =>
      put({
        id,
        scope: one(scopes),
        status: one(['live', 'live', 'live', 'live', 'superseded']),
        kind: one(['semantic', 'semantic', 'episodic', '_conflict']),
        ...(pick(6) === 0 ? { expiresAt: formatInstant(clock() - 1) } : {}),
      }),
    ),
  )
  const links = Array.from({ length: 70 }, () => ({
    type: 'link' as const,
    link: { from: one(all), to: one(all), type: one(types), weight: one([0, 0.25, 0.5, 1]), metadata: { n: pick(9) } },
  }))
  await commit(links)
  return all
}

const byName = (links: readonly Link[]) => links.map((link) => JSON.stringify(link)).sort()

export const graphCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-GRA-1',
    title: 'a walk shows, step by step, what links and get show: visible links, and the live records that they lead to',
    needs: ['graph'],
    async run(context) {
      const { store, clock } = context
      for (const seed of [1, 2]) {
        const all = await settle(context, seed)
        const pick = numbers(seed)
        const start = () => all[pick(all.length)] as string
        const filters = [allScopes(), within({ userId: 'ann' }), exactly({ userId: 'ann' }), within({ appId: 'app' })]
        const lifetimes = { byKind: new Map([['episodic', 0]]), others: Number.POSITIVE_INFINITY }
        for (const filter of filters) {
          for (const view of [{ now: clock() }, { now: clock(), types: types.slice(1) }, { now: clock(), lifetimes }]) {
            const starts = [
              { id: start(), depth: 1, most: 1000 },
              { id: start(), depth: 4, most: 1000 },
              { id: start(), depth: 10, most: 1 + pick(6) },
              { id: 'nobody', depth: 2, most: 10 },
            ]
            const walks = await context.facet('graph').walk(filter, starts, view)
            assert.equal(walks.length, starts.length)
            for (const [i, each] of starts.entries()) {
              const expected = await stepwise(store, filter, each, view)
              const found = walks[i] as readonly GraphStep[]
              const shown = (steps: readonly GraphStep[]) =>
                plain(steps.map(({ links, records, more }) => ({ links: byName(links), records, more })))
              assert.deepEqual(shown(found), shown(expected), `seed ${seed}, ${JSON.stringify([filter, each, view])}`)
            }
          }
        }
      }
    },
  },
]
