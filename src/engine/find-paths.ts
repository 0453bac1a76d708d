import type { Link } from '../model/index.ts'

/** A way from one end to the other: no record twice. */
export interface Way {
  readonly ids: readonly string[]
  readonly links: readonly Link[]
  /** The weights of its links, multiplied. */
  readonly strength: number
}

/** Most steps that looking for ways may take, so that a thicket of links costs no more than a moment. */
export const mostSteps = 200_000

/** By record: those it is linked with, each with the strongest link between the two. */
type Adjacent = ReadonlyMap<string, ReadonlyMap<string, Link>>

function stronger(a: Link, b: Link): boolean {
  if (a.weight !== b.weight) return a.weight > b.weight
  return JSON.stringify([a.type, a.from]) < JSON.stringify([b.type, b.from])
}

function adjacency(links: Iterable<Link>, known: (id: string) => boolean): Adjacent {
  const adjacent = new Map<string, Map<string, Link>>()
  const put = (from: string, to: string, link: Link) => {
    const there = adjacent.get(from) ?? new Map<string, Link>()
    const other = there.get(to)
    if (!other || stronger(link, other)) there.set(to, link)
    adjacent.set(from, there)
  }
  for (const link of links) {
    if (!(known(link.from) && known(link.to))) continue
    put(link.from, link.to, link)
    put(link.to, link.from, link)
  }
  return adjacent
}

/** How many links each record is from the end. */
function distancesTo(adjacent: Adjacent, end: string): ReadonlyMap<string, number> {
  const distances = new Map([[end, 0]])
  // A map is walked in the order in which it grows: breadth first.
  for (const [id, distance] of distances) {
    for (const next of adjacent.get(id)?.keys() ?? []) if (!distances.has(next)) distances.set(next, distance + 1)
  }
  return distances
}

function compareWays(a: Way, b: Way): number {
  if (a.strength !== b.strength) return b.strength - a.strength
  const place = a.ids.findIndex((id, i) => id !== b.ids[i])
  return place < 0 ? 0 : (a.ids[place] as string) < (b.ids[place] as string) ? -1 : 1
}

/**
 * The ways between two records over links in either direction, the shortest first, of one length the strongest first, then by
 * ids. `complete` is false when looking for them took too many steps: then there may be others.
 */
export function findPaths(
  links: Iterable<Link>,
  known: (id: string) => boolean,
  ask: { readonly from: string; readonly to: string; readonly depth: number; readonly limit: number },
): { readonly ways: readonly Way[]; readonly complete: boolean } {
  const { from, to, depth, limit } = ask
  const adjacent = adjacency(links, known)
  const distances = distancesTo(adjacent, to)
  const shortest = distances.get(from) ?? Number.POSITIVE_INFINITY
  const ways: Way[] = []
  let steps = 0
  for (let length = shortest; length <= depth && ways.length < limit; length++) {
    const found: Way[] = []
    const ids = [from]
    const taken: Link[] = []
    const walk = (id: string, strength: number): void => {
      const left = length - taken.length
      for (const [next, link] of adjacent.get(id) ?? []) {
        if (++steps > mostSteps) return
        if (ids.includes(next) || (distances.get(next) ?? depth) > left - 1 || (next === to && left > 1)) continue
        ids.push(next)
        taken.push(link)
        if (next === to) found.push({ ids: [...ids], links: [...taken], strength: strength * link.weight })
        else walk(next, strength * link.weight)
        ids.pop()
        taken.pop()
      }
    }
    walk(from, 1)
    ways.push(...found.sort(compareWays).slice(0, limit - ways.length))
    if (steps > mostSteps) return { ways, complete: false }
  }
  return { ways, complete: true }
}
