// One store for everybody: what is stored in one scope is not seen, counted or ranked in another.
import assert from 'node:assert/strict'
import { MnemeError, openMemory } from 'mneme'

const memory = await openMemory({ path: ':memory:' })

// Without a scope there is no result, only an error that says so.
await assert.rejects(memory.search('garden'), (error) => MnemeError.is(error, 'SCOPE_REQUIRED'))

const ann = memory.scoped({ userId: 'ann' })
const bob = memory.scoped({ userId: 'bob' })
const { record } = await ann.add('The spare key lies under the rosemary in the garden')
await bob.add('Bob waters the garden on Mondays')

assert.deepEqual(
  (await bob.search('where is the spare key? in the garden?')).results.map((hit) => hit.content),
  ['Bob waters the garden on Mondays'],
)
// An id is no way in either, and a view can't name a scope beyond its own.
assert.equal(await bob.get(record.id), null)
assert.equal((await bob.delete(record.id)).deleted, 0)
await assert.rejects(bob.search('key', { scope: { userId: 'ann' } }), (error) => MnemeError.is(error, 'SCOPE_DENIED'))

// A read sees its scope and everything finer: Ann sees what she said in any session, a session sees itself.
const session = memory.scoped({ userId: 'ann', sessionId: 's1' })
await session.add('Ann is looking for a plumber today')
assert.equal((await ann.list()).records.length, 2)
assert.equal((await session.list()).records.length, 1)
// A view is a ceiling, so what holds for all of Ann must be granted to it. The key under the rosemary then shows too.
const wider = memory.scoped({ userId: 'ann', sessionId: 's1' }, { alsoRead: [{ userId: 'ann' }] })
assert.equal((await wider.list()).records.length, 2)

await memory.close()
console.log('ann and bob stay apart')
