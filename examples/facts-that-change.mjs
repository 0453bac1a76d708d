// Facts change. The newer one answers, the older one stays, and what was believed earlier can still be asked.
import assert from 'node:assert/strict'
import { openMemory } from 'mneme'

// A clock of our own, so that "earlier" is a moment we can name.
let now = Date.parse('2026-01-05T09:00:00Z')
const memory = await openMemory({ path: ':memory:', scope: { userId: 'ann' }, clock: () => now })

const { record: berlin } = await memory.add('Ann lives in Berlin')
now = Date.parse('2026-03-02T09:00:00Z')
const {
  record: lisbon,
  previous,
  tx,
} = await memory.supersede(berlin.id, 'Ann lives in Lisbon', { reason: 'she moved' })

assert.equal(previous.status, 'superseded')
assert.equal(previous.supersededBy, lisbon.id)
const contents = (found) => found.results.map((hit) => hit.content)
assert.deepEqual(contents(await memory.search('where does Ann live?')), ['Ann lives in Lisbon'])

// What did the store believe in February?
assert.deepEqual(contents(await memory.search('where does Ann live?', { asOf: '2026-02-01T00:00:00Z' })), [
  'Ann lives in Berlin',
])

// Every version says when, what and why.
const history = await memory.history(berlin.id)
assert.deepEqual(
  history.map(({ op, at, reason }) => [op, at, reason]),
  [
    ['add', '2026-01-05T09:00:00.000Z', undefined],
    ['supersede', '2026-03-02T09:00:00.000Z', 'she moved'],
  ],
)

// It was a misunderstanding: take the whole transaction back.
now = Date.parse('2026-03-02T09:05:00Z')
await memory.undo(tx)
assert.deepEqual(contents(await memory.search('where does Ann live?')), ['Ann lives in Berlin'])

await memory.close()
console.log('Lisbon, Berlin in February, and Berlin again after undo')
