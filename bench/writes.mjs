// What writing costs, through the public API: rows a second, CPU of a row, pages a commit appends to the WAL.
//
//   npm run build && node bench/writes.mjs
//   node bench/writes.mjs --dist ../other/dist --dist dist --rounds 3      compares two builds, in turns
//
// Figures of one run compare; those of two runs need not: the machine may be busy otherwise.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
  options: {
    dist: { type: 'string', multiple: true, default: [fileURLToPath(new URL('../dist', import.meta.url))] },
    size: { type: 'string', default: '100000' },
    embedded: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '1' },
    durability: { type: 'string', default: 'normal' },
    only: { type: 'string' },
    child: { type: 'boolean', default: false },
  },
})
const size = Number(options.size)
const perCall = 1000
/** A header of 24 bytes before each page of 4096. */
const walFrame = 24 + 4096

let state = 1
/** Numbers that look random and are the same in every run. */
function below(n) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
  return Math.floor((state / 0x8000_0000) * n)
}
const syllables = 'ba ke li mo nu ra se ti vo wy'.split(' ')
const words = Array.from({ length: 20_000 }, (_, i) =>
  String(i)
    .padStart(3, '0')
    .replace(/./g, (digit) => syllables[digit]),
)
/** Some thirty words, frequent ones more often. */
const text = () => Array.from({ length: 20 + below(20) }, () => words[below(below(20_000) + 1)]).join(' ')
const memories = (count) => Array.from({ length: count }, () => ({ content: text() }))

/** Rows a second and the CPU of each. */
async function measured(rows, action) {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await action()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { ms, perSecond: (rows / ms) * 1000, userMicros: user / rows, systemMicros: system / rows }
}

async function inSequence(memory, given) {
  for (const each of given) await memory.add(each, { scope: { userId: 'single' } })
}

/** So many at a time. */
async function atOnce(memory, given, width) {
  let next = 0
  const worker = async () => {
    while (next < given.length) await memory.add(given[next++], { scope: { userId: 'single' } })
  }
  await Promise.all(Array.from({ length: width }, worker))
}

async function child(dist) {
  const load = (path) => import(pathToFileURL(join(dist, path)).href)
  const { openMemory } = await load('index.js')
  const { sqlite } = await load('stores/sqlite/index.js')
  const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-writes-'))
  const result = {}
  const wanted = (name) => options.only === undefined || name.startsWith(options.only)
  try {
    const path = join(folder, 'plain.db')
    const open = (file = path, embedder = false) =>
      openMemory({ store: sqlite({ path: file, durability: options.durability }), ...(embedder ? {} : { embedder }) })

    let memory = await open()
    const fill = Array.from({ length: size / perCall }, () => memories(perCall))
    let scattered = 0
    result['addMany 1000 a call'] = await measured(size, async () => {
      for (const [i, given] of fill.entries()) await memory.addMany(given, { scope: { userId: `u${i % 50}` } })
    })
    for (let i = 0; i < 3; i++) await memory.addMany(memories(1000), { scope: { userId: 'together' } })
    for (; scattered < 3000; scattered += 30) {
      await memory.addMany(memories(30), { scope: { userId: 'scattered' } })
      await memory.addMany(memories(300), { scope: { userId: `u${scattered % 50}` } })
    }
    await memory.close()
    result['bytes a record'] = { value: (await stat(path)).size / size }

    const opened = await measured(1, async () => {
      memory = await open()
    })
    result.open = { ms: opened.ms }
    // The first few prepare statements and fill the cache.
    await inSequence(memory, memories(50))
    await memory.close()
    memory = await open()
    const before = (await stat(`${path}-wal`).catch(() => ({ size: 32 }))).size
    await inSequence(memory, memories(100))
    result['pages a single add'] = { value: ((await stat(`${path}-wal`)).size - Math.max(32, before)) / walFrame / 100 }
    await inSequence(memory, memories(1000))
    const singles = memories(4000)
    result['add, one after the other'] = await measured(4000, () => inSequence(memory, singles))
    const crowd = memories(8000)
    result['add, 64 at a time'] = await measured(8000, () => atOnce(memory, crowd, 64))
    for (const userId of ['together', 'scattered']) {
      const { ms } = await measured(3000, () => memory.deleteMany({ filter: {}, scope: { userId } }))
      result[`delete 3000 ${userId}`] = { ms }
    }
    await memory.close()

    const embedded = join(folder, 'embedded.db')
    const count = Number(options.embedded)
    if (count > 0 && wanted('embedded')) {
      memory = await open(embedded, true)
      result['embedded addMany 1000 a call'] = await measured(count, async () => {
        for (let i = 0; i < count; i += perCall) await memory.addMany(memories(perCall), { scope: { userId: `u${i}` } })
      })
      const one = memories(2000)
      result['embedded add, one after the other'] = await measured(2000, () => inSequence(memory, one))
      const many = memories(4000)
      result['embedded add, 64 at a time'] = await measured(4000, () => atOnce(memory, many, 64))
      await memory.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return result
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

function report(runs) {
  for (const name of Object.keys(runs[0][0])) {
    for (const unit of Object.keys(runs[0][0][name])) {
      const medians = runs.map((ofDist) => median(ofDist.map((run) => run[name]?.[unit] ?? Number.NaN)))
      const digits = medians[0] < 100 ? 1 : 0
      const ratio = medians.length > 1 ? `   x${(medians.at(-1) / medians[0]).toFixed(2)}` : ''
      const shown = medians.map((value) => value.toFixed(digits).padStart(9)).join(' ')
      console.log(`${name.padEnd(36)} ${unit.padEnd(13)} ${shown}${ratio}`)
    }
  }
}

if (options.child) {
  process.stdout.write(JSON.stringify(await child(resolve(options.dist[0]))))
} else {
  const runs = options.dist.map(() => [])
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [i, dist] of options.dist.entries()) {
      const rest = ['size', 'embedded', 'durability'].flatMap((name) => [`--${name}`, options[name]])
      const args = [fileURLToPath(import.meta.url), '--child', '--dist', dist, ...rest]
      if (options.only) args.push('--only', options.only)
      runs[i].push(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })))
    }
  }
  report(runs)
}
