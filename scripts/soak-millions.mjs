// One file with very many memories of a hundred users: written, searched, closed, opened again, verified. Checks what must
// hold at any size and prints what it took. Part of npm run soak; needs a build.
//
//   MNEME_SOAK_RECORDS=1000000 node scripts/soak-millions.mjs
import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemory } from 'mneme'

const records = Number(process.env.MNEME_SOAK_RECORDS ?? 10_000)
const users = 100
const batch = 1000
const nouns =
  'cello garden train harbour kitchen letter winter market bridge painting doctor ladder novel violin tea'.split(' ')
const verbs = 'plays waters misses paints repairs reads sells visits forgets lends borrows counts finds'.split(' ')

/** The same text for the same number, always: no seed needed to repeat a run. */
const textOf = (n) => {
  const [a, b, c] = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35].map((salt) => Math.imul(n + 1, salt) >>> 8)
  return `User ${n % users} ${verbs[a % verbs.length]} the ${nouns[b % nouns.length]} near the ${nouns[c % nouns.length]}, note q${n.toString(36)}z`
}
const scopeOf = (n) => ({ userId: `user-${n % users}` })
const quantile = (times, q) => times.toSorted((a, b) => a - b)[Math.floor(times.length * q)]
const say = (what, value) => console.log(`${what.padEnd(44)} ${value}`)
const since = (start) => performance.now() - start

const folder = await mkdtemp(join(tmpdir(), 'mneme-millions-'))
const path = join(folder, 'memory.db')
try {
  const memory = await openMemory({ path })
  let start = performance.now()
  for (let first = 0; first < records; first += batch * users) {
    for (let user = 0; user < users && first + user < records; user += 1) {
      const items = []
      for (let n = first + user; n < Math.min(records, first + batch * users); n += users) items.push(textOf(n))
      await memory.addMany(items, { scope: scopeOf(user), dedupe: false })
    }
  }
  say(`${records} memories, addMany of up to ${batch}`, `${Math.round(records / (since(start) / 1000))}/s`)
  await memory.close()
  say('file', `${((await stat(path)).size / 1e6).toFixed(0)} MB`)

  const again = await openMemory({ path })
  start = performance.now()
  await again.search('cello', { scope: scopeOf(0), touch: false })
  say('opened to the first search', `${since(start).toFixed(0)} ms`)

  const sample = Array.from({ length: 200 }, (_, i) => Math.floor((i * records) / 200))
  for (const [name, scope] of [
    ['one user', (n) => ({ scope: scopeOf(n) })],
    ['everybody', () => ({ allScopes: true })],
  ]) {
    const times = []
    for (const n of sample) {
      start = performance.now()
      const { results } = await again.search(textOf(n), { ...scope(n), limit: 5, touch: false })
      times.push(since(start))
      assert.equal(results[0]?.content, textOf(n), `${name}: the exact text is the first result`)
      const [word] = /q\w+z$/.exec(textOf(n))
      const stranger = await again.search(word, { scope: scopeOf(n + 1), mode: 'text', touch: false })
      assert.equal(stranger.results.length, 0, 'another user does not find it')
    }
    say(`search as ${name}, p50 / p95`, `${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.95).toFixed(1)} ms`)
  }

  const stats = await again.stats({ allScopes: true })
  assert.equal(stats.live, records)
  start = performance.now()
  const one = scopeOf(0)
  const { deleted } = await again.deleteMany({ filter: {}, scope: one })
  say(`${deleted} memories of one user deleted`, `${since(start).toFixed(0)} ms`)
  assert.equal(deleted, Math.ceil(records / users))
  assert.equal((await again.search('cello', { scope: one })).results.length, 0)

  start = performance.now()
  const report = await again.verify()
  assert.deepEqual(report.problems, [])
  say(`verified ${report.checked} records`, `${(since(start) / 1000).toFixed(1)} s`)
  say('resident memory at most', `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`)
  await again.close()
} finally {
  await rm(folder, { recursive: true, force: true })
}
