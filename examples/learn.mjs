// What a conversation teaches, without a model: facts with the words they come from, a preview, an echo that is not learnt again, and undo.
import assert from 'node:assert/strict'
import { openMemory } from 'mneme'

const memory = await openMemory({ path: ':memory:', scope: { userId: 'ann' } })

const monday = [
  { role: 'system', content: 'You are a helpful assistant.' },
  { role: 'user', name: 'Ann', at: '2026-05-04T19:02:00+02:00', content: 'Hi! I live in Bonn and I work at Siemens.' },
  { role: 'assistant', content: 'How can I help you today?' },
]
const { plan, ignored } = await memory.learn(monday)
assert.equal(await memory.facts.get('user.home'), 'Bonn')
assert.deepEqual(
  ignored.map(({ reason }) => reason),
  ['system', 'boilerplate'],
)

// Every step says which words it comes from, and the fact keeps them.
const home = plan.steps.find(({ after }) => after?.key === 'user.home')
assert.deepEqual(home.evidence, [{ message: 'messages[1]', quote: 'I live in Bonn and I work at Siemens.' }])
assert.equal((await memory.facts.entry('user.home')).source.actor, 'Ann')

// A look first: the plan is JSON, to be reviewed and applied as it is.
const friday = [
  {
    role: 'user',
    name: 'Ann',
    at: '2026-05-08T09:30:00+02:00',
    content: 'I moved to Kiel. I no longer work at Siemens.',
  },
]
const dry = await memory.learn(friday, { dryRun: true })
assert.equal(await memory.facts.get('user.home'), 'Bonn')
const { tx } = await memory.apply(JSON.parse(JSON.stringify(dry.plan)))
assert.equal(await memory.facts.get('user.home'), 'Kiel')
assert.equal(await memory.facts.get('user.employer'), null)

// The old fact is closed, not gone: Bonn was true until that Friday.
const [bonn] = await memory.facts.history('user.home')
assert.deepEqual([bonn.value, bonn.validTo], ['Bonn', '2026-05-08T07:30:00.000Z'])

// What the assistant says because it recalled it is not learnt again; what Ann says again confirms.
const echo = await memory.learn([{ role: 'assistant', content: 'As far as I know, you live in Kiel.' }])
assert.deepEqual(echo.ignored, [{ message: 'messages[0]', reason: 'recalled' }])
const before = await memory.facts.entry('user.home')
await memory.learn([{ role: 'user', name: 'Ann', at: '2026-05-09T10:00:00+02:00', content: 'I live in Kiel.' }])
const after = await memory.facts.entry('user.home')
assert.equal(after.id, before.id)
assert.ok(after.confidence > before.confidence)

// The same conversation once more changes nothing.
assert.equal((await memory.learn([...monday, ...friday])).tx, undefined)

// All of Friday can be taken back, unless something was built on it.
await assert.rejects(memory.undo(tx), { code: 'CONFLICT' })
await memory.undo(tx, { force: true })
assert.equal(await memory.facts.get('user.employer'), 'Siemens')

await memory.close()
console.log('Bonn, then Kiel, once, with the words it was learnt from')
