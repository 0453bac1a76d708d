// What a page says does not replace what the user said: both are kept apart until somebody decides.
import assert from 'node:assert/strict'
import { openMemory } from 'mneme'

// A clock of our own, so that we can ask about a moment.
let now = Date.parse('2026-03-01T09:00:00Z')
const memory = await openMemory({ path: ':memory:', scope: { userId: 'ann' }, clock: () => now })
const contents = ({ results }) => results.map(({ content }) => content)

await memory.facts.set('home.city', 'Bonn', { source: { type: 'user', quote: 'I live in Bonn' } })
now = Date.parse('2026-05-01T09:00:00Z')
const source = { type: 'web', ref: 'https://example.org/ann', quote: 'Ann, who now lives in Kiel' }
const { outcome } = await memory.facts.set('home.city', 'Kiel', { source })
assert.equal(outcome, 'conflict')
assert.equal(await memory.facts.get('home.city'), 'Bonn')
assert.deepEqual(contents(await memory.search('home city')), ['home.city: Bonn'])

// The inbox: both sides, with what speaks for each.
const [conflict] = (await memory.conflicts.list()).conflicts
assert.deepEqual(
  [conflict.first, conflict.second].map(({ data, trust, status }) => [data, trust, status]),
  [
    ['Bonn', 'trusted', 'live'],
    ['Kiel', 'untrusted', 'quarantined'],
  ],
)
assert.equal(conflict.evidence.second[0].quote, 'Ann, who now lives in Kiel')

// Ann says the page is right. The old fact stays, true until May.
now = Date.parse('2026-05-03T09:00:00Z')
const { tx } = await memory.conflicts.resolve(conflict.id, { keep: 'second', reason: 'Ann said so' })
assert.equal(await memory.facts.get('home.city'), 'Kiel')
assert.deepEqual(contents(await memory.search('home city', { validAt: '2026-04-01T00:00:00Z' })), ['home.city: Bonn'])

// She did not: undone, the question is open again.
await memory.undo(tx)
assert.equal(await memory.facts.get('home.city'), 'Bonn')
assert.equal((await memory.conflicts.list()).conflicts.length, 1)
await memory.conflicts.resolve(conflict.id, { keep: 'first' })

// The same page does not ask again.
await memory.facts.set('home.city', 'Kiel', { source })
assert.deepEqual((await memory.conflicts.list()).conflicts, [])

await memory.close()
console.log('Bonn, asked, Kiel, undone, Bonn')
