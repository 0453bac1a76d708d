// What partitions cost: the same calls, in turns, on stores that differ only in them. Prints a table. Needs a build.
//
//   MNEME_POSTGRES_URL=postgres://… node bench/postgres/partitions.mjs
//   node bench/postgres/partitions.mjs --partitions 0,8 --calls 100
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { openMemory } from 'mneme'
import { postgres } from 'mneme/stores/postgres'
import pg from 'pg'
import { describeMachine, machine } from '../machine.mjs'
import { median, timed } from '../measure.mjs'
import { createRandom } from '../random.mjs'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.MNEME_POSTGRES_URL },
    partitions: { type: 'string', default: '0,16,64' },
    users: { type: 'string', default: '20' },
    calls: { type: 'string', default: '40' },
  },
})
if (!options.url) {
  console.error('--url, or MNEME_POSTGRES_URL: say where the PostgreSQL server is')
  process.exit(2)
}
const users = Number(options.users)
const each = 100
const nouns = ['cello', 'garden', 'train', 'harbour', 'kitchen', 'letter', 'winter', 'market', 'bridge', 'painting']
const verbs = ['plays', 'waters', 'misses', 'paints', 'repairs', 'reads', 'sells', 'visits', 'forgets', 'lends']
const random = createRandom(1)
const sentence = (n) =>
  `Person ${n % 97} ${random.pick(verbs)} the ${random.pick(nouns)} near the ${random.pick(nouns)} on day ${n}`

const admin = new pg.Client({ connectionString: options.url })
await admin.connect()
const sides = []
for (const partitions of options.partitions.split(',').map(Number)) {
  const schema = `partitions_${process.pid}_${partitions}`
  const memory = await openMemory({ store: postgres({ url: options.url, schema, partitions }) })
  const opened = await timed(() => memory.start())
  sides.push({ partitions, schema, memory, opened, search: [], add: [], get: [] })
  for (let user = 0; user < users; user += 1) {
    const texts = Array.from({ length: each }, (_, i) => sentence(user * each + i))
    await memory.addMany(texts, { scope: { userId: `user-${user}` } })
  }
  // The planner's statistics, which the server would make by and by.
  await admin.query('ANALYZE')
}
for (let call = 0; call < Number(options.calls); call += 1) {
  const scope = { userId: `user-${call % users}` }
  const [query, content] = [`who ${random.pick(verbs)} the ${random.pick(nouns)}?`, sentence(users * each + call)]
  for (const { memory, search, add, get } of sides) {
    let id
    search.push(await timed(() => memory.search(query, { scope, touch: false })))
    add.push(
      await timed(async () => {
        id = (await memory.add(content, { scope })).record.id
      }),
    )
    get.push(await timed(() => memory.get(id, { scope })))
  }
}
console.log(
  `${users * each} memories of ${users} users, ${options.calls} calls of each, in turns. ${describeMachine(machine())}.`,
)
console.log(`Load of the machine at the end: ${loadavg()[0].toFixed(1)}.\n`)
console.log(
  '| Partitions | first opening ms | search p50 ms | add p50 ms | get p50 ms |\n| --- | --- | --- | --- | --- |',
)
for (const { partitions, opened, search, add, get } of sides) {
  const cells = [partitions, ...[opened, median(search), median(add), median(get)].map((value) => value.toFixed(0))]
  console.log(`| ${cells.join(' | ')} |`)
}
for (const { memory, schema } of sides) {
  await memory.close()
  // Dropping all at once would need more locks than a server usually has.
  const { rows } = await admin.query(
    `SELECT format('DROP TABLE %I.%I CASCADE', $1::text, relname) AS text FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    [schema],
  )
  for (const { text } of rows) await admin.query(text)
  await admin.query(`DROP SCHEMA ${schema} CASCADE`)
}
await admin.end()
