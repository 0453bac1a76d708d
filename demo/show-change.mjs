import { dayOf, shorten } from './text.mjs'

const key = 'zhiyu.visit'
const earlier = '2026-03-01T00:00:00Z'

/** The one live record of a key: a query that is a key finds it first. */
async function byKey(memory, asOf) {
  const { results } = await memory.search(key, { limit: 1, touch: false, ...(asOf === undefined ? {} : { asOf }) })
  const [hit] = results
  if (hit?.key !== key) throw new Error(`no record of key ${key}`)
  return hit
}

/** Shows a fact that was superseded: what holds now, what was believed before, and how it came about. */
export async function showChange(memory, say) {
  const now = await byKey(memory)
  const then = await byKey(memory, earlier)
  const history = await memory.history(then.id)
  if (then.id === now.id || now.supersedes !== then.id) throw new Error(`${key} was not superseded`)
  say('A fact that changed')
  say(`    now:                    ${shorten(now.content)}`)
  say(`    believed on ${dayOf(earlier)}: ${shorten(then.content)}`)
  say(`    history of ${then.id}:`)
  for (const { version, at, op, reason } of history) {
    say(`      version ${version}, ${dayOf(at)}: ${op}${reason === undefined ? '' : `, ${reason}`}`)
  }
  say()
}
