// Two agents with memories of their own, one that both may read, and runs that go on at once.
import assert from 'node:assert/strict'
import { agentMemory, memoryContext, openMemory } from 'mneme'

const memory = await openMemory({ path: './agents.db' })
const helper = agentMemory(memory, { agentId: 'helper' })
const director = agentMemory(memory, { agentId: 'director' })

await helper.remember('last_file', 'ventes.xlsx', { source: 'tool' })
assert.equal(await helper.recall('last_file'), 'ventes.xlsx')
assert.equal(await director.recall('last_file'), null)

// What both may read is written by its owner alone.
const shared = { namespace: ['handbook'] }
await agentMemory(memory, shared).remember('tone', 'polite')
const handbook = agentMemory(memory, shared, { readOnly: true })
assert.equal(await handbook.recall('tone'), 'polite')
await assert.rejects(handbook.remember('tone', 'rude'), { code: 'SCOPE_DENIED' })

// Everything that a run calls finds the memory of that run.
const note = (text) => memoryContext.current()?.episodes.record(text)
await Promise.all(
  ['ann', 'bob'].map((userId) =>
    memoryContext.run({ engine: memory, scope: { userId } }, () => note(`a run of ${userId}`)),
  ),
)
const { records } = await memory.episodes.timeline({ scope: { userId: 'ann' } })
assert.deepEqual(
  records.map(({ content }) => content),
  ['a run of ann'],
)

// A snapshot goes out and comes in somewhere else.
const copy = agentMemory(memory, { agentId: 'copy' })
assert.equal(await copy.importData(await helper.export()), 1)
assert.equal(await copy.recall('last_file'), 'ventes.xlsx')

await memory.close()
console.log('Every agent has its own, what is shared is read only, runs are not mixed.')
