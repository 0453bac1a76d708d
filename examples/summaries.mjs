// What was said twice is said once, look-alikes stay; a profile is kept, refreshed, and forgets what is deleted.
import assert from 'node:assert/strict'
import { openMemory } from 'mneme'

const memory = await openMemory({ path: ':memory:', scope: { userId: 'ann' } })
const { results } = await memory.addMany([
  'Ann likes tea',
  'Ann enjoys tea.',
  "Ann doesn't like coffee",
  'The meeting is at 3 pm',
  'The meeting is at 4 pm',
  'Ann is allergic to nuts',
])

// The plan first. One memory is superfluous; what differs in a number or a "not" is not.
const { plan } = await memory.consolidate({ dryRun: true })
assert.deepEqual(
  plan.steps.map(({ op, before }) => [op, before.content]),
  [['supersede', 'Ann enjoys tea.']],
)
await memory.apply(JSON.parse(JSON.stringify(plan)))
assert.equal((await memory.list()).records.length, 5)

// A summary with its sources, within a budget.
const { text, sources } = await memory.summarize({ query: 'What does Ann like?', limit: 2, tokens: 30 })
assert.match(text, /tea \[\d\]/)
assert.equal(sources.length, 2)

// A profile is kept, and refreshed in place from what is new.
await memory.summaries.refresh('profile')
await memory.add('Ann plays the cello')
const { record } = await memory.summaries.refresh('profile')
assert.equal(record.version, 2)
assert.match(record.content, /nuts/)

// Deleted is deleted: no version of the profile has it any more.
await memory.delete(results[5].record.id)
assert.doesNotMatch((await memory.summaries.get('profile')).text, /nuts/)
assert.doesNotMatch(JSON.stringify(await memory.history(record.id)), /nuts/)

await memory.close()
console.log('one of two, a profile, nothing left of the nuts')
