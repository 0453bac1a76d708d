// One of the processes of a load: mixed work on memories that it shares with the others and on its own, until its time is over.
// Speaks with the one that started it: settings in; `ready`; `go` in; what it acknowledged for others to look at, and what they did; the tally.
import { once } from 'node:events'
import { createRandom } from '../random.mjs'
import { storesOf } from './stores.mjs'

/** How often each is done. */
const mix = { add: 0.35, search: 0.25, get: 0.15, update: 0.1, count: 0.1, list: 0.05 }
const nouns =
  'cello garden train harbour kitchen letter winter market bridge painting doctor ladder novel violin tea'.split(' ')
const verbs = 'plays waters misses paints repairs reads sells visits forgets lends borrows counts finds'.split(' ')
/** Every so many acknowledged writes another process has to see one at once. */
const shownEvery = 5

const [settings] = await once(process, 'message')
const { number, seconds, tenants, counters, variant } = settings
const { mneme, shared } = await storesOf(settings.dist)
const random = createRandom(settings.seed + number)

/** Tenants that all write to, and one that nobody else does. */
const names = [...Array.from({ length: tenants }, (_, i) => `team-${i}`), `own-${number}`]
// In session mode what is new belongs to a session of this process, and is staged until that is over.
const writeScope = (tenant) =>
  variant === 'session' ? { userId: tenant, sessionId: `process-${number}` } : { userId: tenant }
const readScope = (tenant) => ({ userId: tenant })
const isOf = (tenant, content) => content.startsWith(`${tenant}: `)

const memory = await mneme.openMemory({ store: shared(settings) })
await memory.start()

const times = Object.fromEntries(Object.keys(mix).map((name) => [name, []]))
const errors = {}
const faults = []
const added = []
const updates = {}
const increments = {}
let [conflicts, degraded, waited, seen] = [0, 0, 0, 0]
const toSee = []
let writes = 0

/** Whatever lacks something says so: there must be nothing of it. */
function judge(answer) {
  if (answer?.degraded?.length > 0) degraded += 1
  if (answer?.durable === false) waited += 1
  return answer
}

/** Only text of the tenant may come. */
function judgeTenant(tenant, records) {
  for (const { content } of records)
    if (!isOf(tenant, content)) faults.push(`a read as ${tenant} showed a text of ${content.split(':')[0]}`)
}

/** Repeats what lost against another process. */
async function untilWritten(attempt) {
  for (;;) {
    try {
      return judge(await attempt())
    } catch (error) {
      if (!mneme.MnemeError.is(error, 'VERSION_CONFLICT')) throw error
      conflicts += 1
    }
  }
}

function acknowledged(record) {
  writes += 1
  if (writes % shownEvery === 0) process.send({ written: { id: record.id, version: record.version } })
}

const known = []
const work = {
  async add() {
    const tenant = random.pick(names)
    const content = `${tenant}: process ${number} ${random.pick(verbs)} the ${random.pick(nouns)} near the ${random.pick(nouns)}, note ${added.length}`
    const { record } = judge(await memory.add(content, { scope: writeScope(tenant) }))
    added.push({ id: record.id, tenant })
    known.push({ id: record.id, tenant })
    acknowledged(record)
  },
  async search() {
    const tenant = random.pick(names)
    const query = `who ${random.pick(verbs)} the ${random.pick(nouns)}?`
    const { results } = judge(await memory.search(query, { scope: readScope(tenant), touch: false }))
    judgeTenant(tenant, results)
  },
  async list() {
    const tenant = random.pick(names)
    const { records } = judge(await memory.list({ scope: readScope(tenant), limit: 20 }))
    judgeTenant(tenant, records)
  },
  async get() {
    // What another process acknowledged goes first: it must be there, and not older than that.
    const other = toSee.shift()
    if (other !== undefined) {
      const found = await memory.get(other.id, { allScopes: true })
      seen += 1
      if (found === null) faults.push('a memory that another process had acknowledged was not found')
      else if (found.version < other.version) faults.push('a memory was older than another process had acknowledged')
      return
    }
    if (known.length === 0) return
    const { id, tenant } = random.pick(known)
    const found = await memory.get(id, { scope: readScope(tenant) })
    if (found === null) faults.push('a memory that was acknowledged was not found')
    else judgeTenant(tenant, [found])
    if ((await memory.get(id, { scope: readScope(`${tenant}-stranger`) })) !== null)
      faults.push(`a stranger saw a memory of ${tenant}`)
  },
  async update() {
    const tenant = random.pick(names)
    const { records } = judge(await memory.list({ scope: readScope(tenant), limit: 5 }))
    if (records.length === 0) return
    const { id } = random.pick(records)
    const { record } = await untilWritten(async () => {
      const { version, scope } = await memory.get(id, { scope: readScope(tenant) })
      return await memory.update(id, { metadata: { seen: version } }, { scope, ifVersion: version })
    })
    updates[id] = (updates[id] ?? 0) + 1
    acknowledged(record)
  },
  async count() {
    const key = `counter-${random.below(counters)}`
    const scope = { userId: 'counters' }
    await untilWritten(async () => {
      const entry = await memory.kv.get(['load'], key, { scope })
      return await memory.kv.put(['load'], key, (entry?.value ?? 0) + 1, { scope, ifVersion: entry?.version ?? 0 })
    })
    increments[key] = (increments[key] ?? 0) + 1
  },
}

function next() {
  let at = random.next()
  for (const [name, share] of Object.entries(mix)) {
    at -= share
    if (at < 0) return name
  }
  return 'add'
}

process.on('message', ({ written }) => {
  if (written !== undefined) toSee.push(written)
})
const go = once(process, 'message')
process.send({ ready: true })
await go

const start = performance.now()
const workedBefore = process.cpuUsage()
while (performance.now() - start < seconds * 1000) {
  const name = next()
  const began = performance.now()
  try {
    await work[name]()
    times[name].push(performance.now() - began)
  } catch (error) {
    const code = error.code ?? error.name
    errors[`${name}: ${code}`] = (errors[`${name}: ${code}`] ?? 0) + 1
  }
}
const milliseconds = performance.now() - start
const { user, system } = process.cpuUsage(workedBefore)
await memory.close()
const worked = (user + system) / 1000
const tally = { worked, added, updates, increments, conflicts, degraded, waited, seen }
process.send({ tally: { number, milliseconds, times, errors, faults, ...tally } }, () => process.disconnect())
