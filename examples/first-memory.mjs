// Remembers three things in a file, closes it, opens it again and asks. No server, no network, no model.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemory } from 'mneme'

const folder = await mkdtemp(join(tmpdir(), 'first-memory-'))
const path = join(folder, 'memory.db')

const memory = await openMemory({ path, scope: { userId: 'ann' } })
await memory.add('Ann plays the cello in a string quartet')
await memory.add({ content: 'Ann is allergic to peanuts', importance: 0.9, tags: ['health'] })
await memory.add('The office moved to Lindenstraße 12')

// The same thing twice is one memory.
const again = await memory.add('Ann is allergic to peanuts')
assert.equal(again.outcome, 'duplicate')
await memory.close()

const reopened = await openMemory({ path, scope: { userId: 'ann' } })
const { results } = await reopened.search('which instrument does she play?')
assert.equal(results[0]?.content, 'Ann plays the cello in a string quartet')

const health = await reopened.search('what must the cook know?', { tags: ['health'] })
assert.deepEqual(
  health.results.map((hit) => hit.content),
  ['Ann is allergic to peanuts'],
)
await reopened.close()
await rm(folder, { recursive: true })
console.log(`found: ${results[0].content}`)
