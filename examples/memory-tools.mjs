// A model is handed memory as tools. It may add freely; before it changes or removes something, a person sees what would be
// done, and agrees or not. Here the calls are written out as a model would send them.
import assert from 'node:assert/strict'
import { createMemoryTools, openMemory } from 'mneme'

const memory = await openMemory({ path: ':memory:' })

const asked = []
let agrees = false
const tools = createMemoryTools(
  memory,
  { userId: 'ann' },
  {
    actor: 'assistant',
    confirm({ tool, plan }) {
      asked.push([tool, plan.steps.map(({ op, before, after }) => [op, before?.content, after?.content])])
      return agrees
    },
  },
)

// What a chat completion would get as its tools.
const offered = tools.map(({ name, description, parameters }) => ({
  type: 'function',
  function: { name, description, parameters },
}))
assert.equal(offered.length, 10)

/** What a model sends, and what it reads. */
const call = (name, args) => tools.find((tool) => tool.name === name).execute(JSON.stringify(args))

// Adding asks nobody.
await call('remember', { text: 'Ann lives in Kiel', tags: ['home'] })
const found = await call('recall', { query: 'where does Ann live?' })
assert.equal(found.items[0].text, 'Ann lives in Kiel')
assert.deepEqual(asked, [])

// Changing does, and a no is a no.
const { id } = found.items[0]
const declined = await call('correct', { id, text: 'Ann lives in Bremen' })
assert.deepEqual([declined.ok, declined.code], [false, 'DECLINED'])
assert.equal((await memory.get(id, { scope: { userId: 'ann' } })).status, 'live')

agrees = true
await call('correct', { id, text: 'Ann lives in Bremen', reason: 'she moved in May' })
const now = await call('recall', { query: 'where does Ann live?' })
assert.equal(now.items[0].text, 'Ann lives in Bremen')
assert.equal(asked.length, 2)
assert.deepEqual(asked[0], asked[1])

// The scope is bound: nothing that a model writes can name another one.
const refused = await call('recall', { query: 'secrets', scope: { userId: 'bob' } })
assert.equal(refused.code, 'UNKNOWN_FIELD')
console.log(now.text)

await memory.close()
