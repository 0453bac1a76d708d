// Memories belong to you: one line of JSON each, readable by anything, and back: the current records whole, their history stays behind.
import assert from 'node:assert/strict'
import { openMemory } from 'mneme'

const scope = { userId: 'ann' }
const first = await openMemory({ path: ':memory:', scope })
const { record: cello } = await first.add({
  content: 'Ann plays the cello',
  tags: ['music'],
  metadata: { since: 2011 },
})
const { record: quartet } = await first.add('The quartet meets on Thursdays')
await first.link(cello.id, quartet.id, { type: 'about' })

let lines = ''
for await (const line of first.export()) lines += line.endsWith('\n') ? line : `${line}\n`
const before = await first.getMany([cello.id, quartet.id])
await first.close()

// Try it first: a dry run checks every line and writes nothing.
const second = await openMemory({ path: ':memory:', scope })
const plan = await second.import(lines, { dryRun: true })
assert.equal(plan.failed, 0)
assert.equal((await second.list()).records.length, 0)

const report = await second.import(lines)
assert.equal(report.imported, 2)
assert.deepEqual(await second.getMany([cello.id, quartet.id]), before)
assert.equal((await second.neighbors(cello.id)).records[0]?.id, quartet.id)

// The same file again changes nothing.
const again = await second.import(lines)
assert.equal(again.imported, 0)
assert.equal((await second.list()).records.length, 2)

await second.close()
console.log(`${report.imported} memories went out and came back`)
