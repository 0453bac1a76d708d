// Starts the processes of a load, lets them work at the same time, and looks afterwards whether everything holds.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { storesOf } from './stores.mjs'

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url))

/** What a process says next that has the member. @throws Error when it ends before that */
function told(child, member) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`a process of the load ended with ${code} before it said ${member}`))
    child.once('exit', ended)
    child.on('message', function listen(message) {
      if (message[member] === undefined) return
      child.off('exit', ended)
      child.off('message', listen)
      resolve(message[member])
    })
  })
}

/** @returns the tallies of all processes, in their order */
async function work(settings) {
  const children = Array.from({ length: settings.processes }, () => fork(worker))
  try {
    await Promise.all(
      children.map((child, number) => {
        const ready = told(child, 'ready')
        child.send({ ...settings, number })
        return ready
      }),
    )
    // What one has acknowledged another looks at.
    for (const [i, child] of children.entries()) {
      child.on('message', ({ written }) => {
        const other = children[(i + 1) % children.length]
        if (written !== undefined && other.connected) other.send({ written }, () => undefined)
      })
    }
    const tallies = Promise.all(children.map((child) => told(child, 'tally')))
    const ended = Promise.all(children.map((child) => once(child, 'exit')))
    for (const child of children) child.send({ go: true })
    const all = await tallies
    await ended
    return all
  } finally {
    for (const child of children) if (child.exitCode === null) child.kill()
  }
}

async function* everyRecord(memory, options) {
  let cursor
  do {
    const page = await memory.list({ ...options, limit: 1000, cursor })
    yield* page.records
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

/** Adds up what several have counted by name. */
function sum(counts) {
  const total = {}
  for (const count of counts)
    for (const [name, value] of Object.entries(count)) total[name] = (total[name] ?? 0) + value
  return total
}

/** Compares what was acknowledged with what the durable store holds. @returns what does not hold, a line each */
async function compare(memory, tallies) {
  const faults = tallies.flatMap(({ number, faults: own }) => own.map((fault) => `process ${number}: ${fault}`))
  const added = new Map(tallies.flatMap((tally) => tally.added.map(({ id, tenant }) => [id, tenant])))
  const updates = sum(tallies.map((tally) => tally.updates))
  let found = 0
  for await (const { id, version, content, scope } of everyRecord(memory, { allScopes: true, kinds: ['semantic'] })) {
    const tenant = added.get(id)
    if (tenant === undefined) faults.push(`${id} is there, and nobody acknowledged it`)
    else if (scope.userId !== tenant || !content.startsWith(`${tenant}: `))
      faults.push(`${id} is not where it was written`)
    else found += 1
    const expected = 1 + (updates[id] ?? 0)
    if (version !== expected) faults.push(`${id} has version ${version} after ${expected - 1} acknowledged updates`)
  }
  if (found !== added.size) faults.push(`${added.size} additions were acknowledged, ${found} found`)
  const increments = sum(tallies.map((tally) => tally.increments))
  for (const [key, expected] of Object.entries(increments)) {
    const value = (await memory.kv.get(['load'], key, { scope: { userId: 'counters' } }))?.value ?? 0
    if (value !== expected) faults.push(`${key} is ${value} after ${expected} acknowledged steps`)
  }
  const report = await memory.verify()
  for (const { code, message } of report.problems) faults.push(`verify: ${code}: ${message}`)
  const journal = await memory.verifyJournal()
  if (!journal.ok) faults.push('verifyJournal: a chain is broken')
  const updated = Object.values(updates).reduce((all, value) => all + value, 0)
  const counted = Object.values(increments).reduce((all, value) => all + value, 0)
  return { faults, checked: { added: found, updated, counted, records: report.checked } }
}

/**
 * @param settings `variant`, `url`, `redisUrl`, `schema` (a new one), `dist`, `processes`, `seconds`, `tenants`, `counters`, `poolSize`, `seed`
 * @returns what the processes did, and what does not hold: `faults`, none when all is well
 */
export async function load(settings) {
  const { mneme, durable, shared } = await storesOf(settings.dist)
  const loadBefore = loadavg()[0]
  // The tables, before the others race for them.
  const first = mneme.openMemory({ store: durable(settings) })
  const memory = await first
  await memory.start()
  const tallies = await work(settings)
  const moved = { sessions: 0, migrated: 0 }
  if (settings.variant === 'session') {
    const before = await mneme.openMemory({ store: shared(settings) })
    const tenants = new Set(tallies.flatMap((tally) => tally.added.map(({ tenant }) => tenant)))
    for (const userId of tenants) {
      for (let number = 0; number < settings.processes; number += 1) {
        const { migrated, remaining } = await before.migrateToCold(`process-${number}`, { scope: { userId } })
        if (remaining > 0) throw new Error(`${remaining} memories of a session were not moved`)
        moved.sessions += 1
        moved.migrated += migrated
      }
    }
    await before.close()
  }
  const { faults, checked } = await compare(memory, tallies)
  await memory.close()
  return { variant: settings.variant, tallies, faults, checked, moved, loadBefore, loadAfter: loadavg()[0] }
}
