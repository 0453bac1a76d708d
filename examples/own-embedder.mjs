// Any function from a text to numbers is an embedder. This one counts a few words; yours would call a model.
import assert from 'node:assert/strict'
import { embedderFrom, openMemory } from 'mneme'

const topics = [/cello|violin|music|concert/i, /train|flight|travel|ticket/i, /soup|dinner|cook|restaurant/i]
let isDown = false
const embedder = embedderFrom(
  (text) => {
    if (isDown) throw new Error('the model does not answer')
    return topics.map((topic) => (topic.test(text) ? 1 : 0))
  },
  // The id is stored with every vector: change it when the function changes.
  { id: 'example:topics-1', dimensions: topics.length },
)

const memory = await openMemory({ path: ':memory:', scope: { userId: 'ann' }, embedder })
await memory.add('Ann practises the cello every morning')
await memory.add('The flight to Porto leaves at seven')

const { results } = await memory.search('any violin concerts?', { mode: 'vector' })
assert.equal(results[0]?.content, 'Ann practises the cello every morning')

// While the embedder is down nothing is lost: the memory is kept, listed as pending, and found by its words at once.
isDown = true
const { record } = await memory.add('Dinner with Zoë at the noodle bar')
assert.deepEqual(
  (await memory.pending()).records.map(({ id }) => id),
  [record.id],
)
const meanwhile = await memory.search('noodle')
assert.equal(meanwhile.results[0]?.id, record.id)
assert.equal(meanwhile.degraded?.[0]?.stage, 'embedder')

await memory.close()
console.log('found by meaning, and by words while the embedder was down')
