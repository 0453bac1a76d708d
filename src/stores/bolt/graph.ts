import type { GraphSearch, GraphStart, GraphStep, GraphView, OperationOptions } from '../../contract/index.ts'
import type { Link, ScopeFilter } from '../../model/index.ts'
import { decodeJson } from './codec.ts'
import type { Call, Run } from './connection.ts'
import { conditionsOf } from './list-conditions.ts'
import { ownersSeen, visible } from './scope-conditions.ts'
import { reading, type Session } from './session.ts'
import { number, token } from './tokens.ts'

type Step = (from: readonly string[], seen: ReadonlySet<string>, most: number) => Promise<GraphStep>

/** One step in one go: the links that lead on, and the records they lead to, of which scope, status and expiry are judged here. */
function stepper(session: Session, run: Run, scope: ScopeFilter, { now, lifetimes, types }: GraphView): Step {
  const { uid } = session.partition
  const [start, seenBy] = [visible('i', scope, session.partition), visible('n', scope, session.partition)]
  // The conditions of a plain list: live, of no reserved kind, not expired.
  const alive = conditionsOf({ now, lifetimes, order: 'oldest', limit: 1 })
  const match = `UNWIND $from AS uid MATCH (i:MnemeId {uid: uid})-[l:LINK]-(n:Memory)
WHERE ${start.text} AND ${seenBy.text} AND ($types IS NULL OR l.name IN $types)`
  const common = { ...seenBy.parameters, types: types === undefined ? null : types.map(token) }
  return async (from, seen, most) => {
    const parameters = { ...common, from: from.map(uid) }
    const [links, records] = await Promise.all([
      run(`${match} WITH DISTINCT l RETURN l.link AS link`, parameters),
      run(
        `${match} AND NOT n.uid IN $seen WITH n AS m, max(l.weight) AS strongest WHERE ${alive.text}
RETURN m.record AS record ORDER BY strongest DESC, m.id LIMIT $limit`,
        { ...parameters, ...alive.parameters, seen: [...seen].map(uid), limit: number(most + 1) },
      ),
    ])
    return {
      links: links.map(({ link }) => decodeJson<Link>(link)),
      records: records.slice(0, most).map(({ record }) => decodeJson(record)),
      more: records.length > most,
    }
  }
}

async function walkFrom({ id, depth, most }: GraphStart, step: Step): Promise<GraphStep[]> {
  const steps: GraphStep[] = []
  const seen = new Set([id])
  let left = most
  for (let from: readonly string[] = [id]; steps.length < depth && from.length > 0 && left > 0; ) {
    const found = await step(from, seen, left)
    steps.push(found)
    for (const link of found.links) seen.add(link.from).add(link.to)
    left -= found.records.length
    from = found.records.map((record) => record.id)
  }
  return steps
}

/** Walks over relations in the database, each over one state of it. */
export function graphSearch(
  on: <T>(name: string, options: OperationOptions, action: (session: Session, call: Call) => Promise<T>) => Promise<T>,
): GraphSearch {
  return {
    walk: (scope, starts, view, options = {}) =>
      on('walk', options, (session, call) =>
        reading(session, call, ownersSeen(scope, session.partition), async (run) => {
          const step = stepper(session, run, scope, view)
          const walks: GraphStep[][] = []
          for (const start of starts) walks.push(await walkFrom(start, step))
          return walks
        }),
      ),
  }
}
