import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Link } from '../model/index.ts'
import { findPaths, mostSteps } from './find-paths.ts'

const link = (from: string, to: string, weight = 1, type = 'knows'): Link => ({ from, to, type, weight, metadata: {} })
const ask = (from: string, to: string, depth = 4, limit = 100) => ({ from, to, depth, limit })
const everything = () => true

test('[GRA-1] the shortest first, of one length the strongest first, then by ids; links go both ways', () => {
  const links = [
    link('a', 'b'),
    link('c', 'b', 0.5),
    link('b', 'd'),
    link('a', 'c'),
    link('d', 'c'),
    link('a', 'e', 0.1),
  ]
  const { ways, complete } = findPaths(links, everything, ask('a', 'd'))
  expect(ways.map(({ ids, strength }) => [ids.join(''), strength])).toEqual([
    ['abd', 1],
    ['acd', 1],
    ['abcd', 0.5],
    ['acbd', 0.5],
  ])
  expect(complete).toBe(true)
  expect(findPaths(links, everything, ask('a', 'd', 4, 3)).ways).toEqual(ways.slice(0, 3))
  expect(findPaths(links, everything, ask('a', 'd', 2)).ways).toHaveLength(2)
  expect(findPaths(links, (id) => id !== 'b', ask('a', 'd')).ways.map(({ ids }) => ids.join(''))).toEqual(['acd'])
  expect(findPaths(links, everything, ask('a', 'zebra')).ways).toEqual([])
})

test('[GRA-1] between two neighbours the strongest link is shown, of equal ones the first by type', () => {
  const links = [link('a', 'b', 0.2), link('b', 'a', 0.9, 'z'), link('a', 'b', 0.9, 'y')]
  expect(findPaths(links, everything, ask('a', 'b')).ways).toMatchObject([{ links: [{ type: 'y' }], strength: 0.9 }])
})

test('[GRA-1] any graph gives the same ways as trying all of them', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const one = fc.record({
    from: fc.constantFrom(...names),
    to: fc.constantFrom(...names),
    weight: fc.constantFrom(0, 0.25, 0.5, 1),
  })
  const graphs = fc.array(one, { maxLength: 14 }).map((all) => all.filter(({ from, to }) => from !== to))
  fc.assert(
    fc.property(graphs, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 8 }), (all, depth, limit) => {
      const links = all.map(({ from, to, weight }) => link(from, to, weight))
      const weightOf = (a: string, b: string) =>
        Math.max(
          ...links
            .filter(({ from, to }) => (from === a && to === b) || (from === b && to === a))
            .map((each) => each.weight),
        )
      const walk = (ids: readonly string[]): string[][] => {
        const last = ids.at(-1) as string
        if (last === 'f') return [[...ids]]
        if (ids.length > depth) return []
        const next = names.filter((id) => !ids.includes(id) && weightOf(last, id) >= 0)
        return next.flatMap((id) => walk([...ids, id]))
      }
      const strength = (ids: readonly string[]) =>
        ids.slice(1).reduce((product, id, i) => product * weightOf(ids[i] as string, id), 1)
      const expected = walk(['a'])
        .map((ids) => ({ ids, strength: strength(ids) }))
        .sort(
          (a, b) =>
            a.ids.length - b.ids.length || b.strength - a.strength || (a.ids.join('') < b.ids.join('') ? -1 : 1),
        )
      const { ways } = findPaths(links, everything, ask('a', 'f', depth, limit))
      expect(ways.map(({ ids, strength: s }) => ({ ids, strength: s }))).toEqual(expected.slice(0, limit))
    }),
  )
})

test('[GRA-2] in a thicket of links looking ends after a bounded number of steps, and says so', () => {
  const names = Array.from({ length: 60 }, (_, i) => `n${i}`)
  const links = names.flatMap((from) => names.filter((to) => from < to).map((to) => link(from, to)))
  const { ways, complete } = findPaths(links, everything, ask('n0', 'n59', 10, 1000))
  expect(complete).toBe(false)
  expect(ways[0]?.ids).toEqual(['n0', 'n59'])
  expect(mostSteps).toBeLessThan(1_000_000)
})
