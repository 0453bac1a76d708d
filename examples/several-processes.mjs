// Several processes, as on several machines, over one PostgreSQL server; with a Redis before it where its address is set.
//
//   MNEME_POSTGRES_URL=postgres://localhost/memory node examples/several-processes.mjs
//   MNEME_REDIS_URL=redis://localhost:6379 …        the same through a hot tier
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { MnemeError, openMemory } from 'mneme'

const processes = 4
const notes = 5
const increments = 3
// What a deployment would set: all processes have the same environment, and no path in the program.
process.env.MNEME_STORE = process.env.MNEME_REDIS_URL ? 'tiered:postgres' : 'postgres'

/** Scopes of this run: what all processes share, and what each has for itself. */
const shared = (run) => ({ userId: `team-${run}` })
const own = (run, number) => ({ userId: `worker-${number}-${run}` })
const noteOf = (number, note) => `Worker ${number} made note ${note}`

/** Adds one to a number that all processes count with: read, write if nobody wrote meanwhile, else once more. */
async function count(memory, scope) {
  for (;;) {
    const entry = await memory.kv.get(['counters'], 'notes', { scope })
    const next = (entry?.value ?? 0) + 1
    try {
      return await memory.kv.put(['counters'], 'notes', next, { scope, ifVersion: entry?.version ?? 0 })
    } catch (error) {
      if (!MnemeError.is(error, 'VERSION_CONFLICT')) throw error
    }
  }
}

/** Resolves when every note of every process has come. */
async function hearAll(memory, scope, after) {
  const missing = new Set()
  for (let number = 0; number < processes; number += 1)
    for (let note = 0; note < notes; note += 1) missing.add(noteOf(number, note))
  for await (const change of memory.watch({ scope, after, signal: AbortSignal.timeout(40_000) })) {
    missing.delete(change.record?.content)
    if (missing.size === 0) return
  }
  assert.deepEqual([...missing], [], 'notes of other processes that never came')
}

/** What each of the other processes does. */
async function work(run, number) {
  const memory = await openMemory({ scope: shared(run) })
  const { cursor } = await memory.changes()
  process.send('ready')
  await once(process, 'message')

  const heard = hearAll(memory, shared(run), cursor)
  for (let note = 0; note < notes; note += 1) await memory.add(noteOf(number, note))
  await memory.add(`The password of worker ${number}`, { scope: own(run, number) })
  for (let i = 0; i < increments; i += 1) await count(memory, shared(run))
  await heard

  // A search finds what another process wrote; in a scope of one's own there is nobody else.
  const neighbour = (number + 1) % processes
  const { results } = await memory.search(noteOf(neighbour, 0), { limit: 3 })
  assert.ok(results.some(({ content }) => content === noteOf(neighbour, 0)))
  const mine = await memory.search('the password of worker', { scope: own(run, number) })
  assert.deepEqual(
    mine.results.map(({ content }) => content),
    [`The password of worker ${number}`],
  )
  await memory.close()
  process.disconnect()
}

async function main() {
  const run = Date.now().toString(36)
  const memory = await openMemory({ scope: shared(run) })
  await memory.start()
  const self = fileURLToPath(import.meta.url)
  const children = Array.from({ length: processes }, (_, number) => fork(self, [run, String(number)]))
  const ended = children.map(async (child) => (await once(child, 'exit'))[0])
  // One that fails before it is ready must not be waited for.
  await Promise.all(children.map((child, i) => Promise.race([once(child, 'message'), ended[i]])))
  for (const child of children) if (child.connected) child.send('go')
  assert.deepEqual(await Promise.all(ended), Array(processes).fill(0))

  // Every acknowledged write is there, once; no step of the counter was lost.
  const { records } = await memory.list({ limit: 1000, kinds: ['semantic'] })
  assert.equal(new Set(records.map(({ content }) => content)).size, processes * notes)
  assert.equal(records.length, processes * notes)
  assert.equal((await memory.kv.get(['counters'], 'notes'))?.value, processes * increments)
  assert.equal((await memory.health()).status, 'ok')

  console.log(
    `${processes} processes wrote ${records.length} notes through ${memory.metadata.store}; each heard of all`,
  )
  const scopes = [shared(run), ...children.map((_, number) => own(run, number))]
  for (const scope of scopes) await memory.deleteMany({ filter: {}, scope })
  await memory.close()
}

const [run, number] = process.argv.slice(2)
if (run !== undefined) await work(run, Number(number))
else if (process.env.MNEME_POSTGRES_URL) await main()
else
  console.log(
    'NOT RUN: set MNEME_POSTGRES_URL to the address of a PostgreSQL server, and MNEME_REDIS_URL for a hot tier',
  )
