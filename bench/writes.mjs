// What writing costs, through the public API: rows a second, CPU of a row, pages that a commit appends to the WAL.
//
//   npm run build && node bench/writes.mjs
//   node bench/writes.mjs --dist ../other/dist --dist dist       compares builds: they take turns, piece by piece
//
// The machine may be busy otherwise: figures of one run compare, those of two runs need not. `best` is the best piece,
// a fair guess for an idle machine.
import { fork } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
  args: process.env.CHILD ? [] : process.argv.slice(2),
  options: {
    dist: { type: 'string', multiple: true, default: [fileURLToPath(new URL('../dist', import.meta.url))] },
    size: { type: 'string', default: '100000' },
    embedded: { type: 'string', default: '10000' },
    pieces: { type: 'string', default: '20' },
    durability: { type: 'string', default: 'normal' },
    only: { type: 'string', default: '' },
  },
})
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

/** Time and CPU of a row. */
async function measured(rows, action) {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await action()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { ms, 'rows/s': (rows / ms) * 1000, 'cpu µs': (user + system) / rows, 'of it system': system / rows }
}

/** What the parent may ask for. Between two steps the child waits. */
async function serve() {
  const [dist, durability] = process.argv.slice(2)
  const load = (path) => import(pathToFileURL(join(dist, path)).href)
  const { openMemory } = await load('index.js')
  const { sqlite } = await load('stores/sqlite/index.js')
  const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-writes-'))
  const path = join(folder, 'bench.db')
  let memory
  let calls = 0

  const steps = {
    async open({ embedder }) {
      const store = sqlite({ path, durability })
      return measured(1, async () => {
        memory = await openMemory(embedder ? { store } : { store, embedder: false })
      })
    },
    async close() {
      await memory.close()
      return { bytes: (await stat(path)).size }
    },
    async clear() {
      for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true })
      return {}
    },
    async many({ count, userId = `u${calls++ % 50}` }) {
      const given = memories(count)
      return measured(count, () => memory.addMany(given, { scope: { userId } }))
    },
    /** `width` at a time. */
    async single({ count, width }) {
      const given = memories(count)
      let next = 0
      const worker = async () => {
        while (next < count) await memory.add(given[next++], { scope: { userId: 'single' } })
      }
      return measured(count, () => Promise.all(Array.from({ length: width }, worker)))
    },
    async pages({ count }) {
      const size = async () => (await stat(`${path}-wal`)).size
      const before = await size()
      for (const given of memories(count)) await memory.add(given, { scope: { userId: 'single' } })
      return { pages: ((await size()) - before) / walFrame / count }
    },
    async clearScope({ userId }) {
      return measured(3000, () => memory.deleteMany({ filter: {}, scope: { userId } }))
    },
    async end() {
      await rm(folder, { recursive: true, force: true })
      return {}
    },
  }
  process.on('message', async ({ step, ...given }) => {
    process.send(await steps[step](given))
    if (step === 'end') process.disconnect()
  })
}

const quantile = (numbers, share) => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)]

async function run() {
  const size = Number(options.size)
  const pieces = Number(options.pieces)
  const children = options.dist.map((dist) =>
    fork(fileURLToPath(import.meta.url), [resolve(dist), options.durability], { env: { ...process.env, CHILD: '1' } }),
  )
  const ask = (child, message) =>
    new Promise((done, failed) => {
      const exited = (code) => failed(new Error(`exit ${code}`))
      child.once('exit', exited)
      child.once('message', (answer) => {
        child.off('exit', exited)
        done(answer)
      })
      child.send(message)
    })

  /** Every build in turn; the answers of each. */
  async function all(message, times = 1) {
    const answers = children.map(() => [])
    for (let i = 0; i < times; i++) {
      for (const [j, child] of children.entries()) answers[j].push(await ask(child, message))
    }
    return answers
  }

  function line(name, unit, shares, answers) {
    for (const [label, share] of shares) {
      const figures = answers.map((ofBuild) =>
        quantile(
          ofBuild.map((answer) => answer[unit]),
          share,
        ),
      )
      const shown = figures.map((value) => value.toFixed(value < 100 ? 1 : 0).padStart(9)).join(' ')
      const ratio = figures.length > 1 ? `   x ${(figures.at(-1) / figures[0]).toFixed(2)}` : ''
      console.log(`${name.padEnd(34)} ${`${unit} ${label}`.padEnd(16)} ${shown}${ratio}`)
    }
  }

  function rates(name, answers) {
    const few = answers[0].length < 4
    line(
      name,
      'rows/s',
      few
        ? [['', 0.5]]
        : [
            ['median', 0.5],
            ['best', 1],
          ],
      answers,
    )
    line(
      name,
      'cpu µs',
      few
        ? [['', 0.5]]
        : [
            ['median', 0.5],
            ['best', 0],
          ],
      answers,
    )
  }

  async function measure(prefix, embedder, count) {
    await all({ step: 'open', embedder })
    rates(`${prefix}addMany, 1000 a call`, await all({ step: 'many', count: 1000 }, count / 1000))
    if (!embedder) {
      await all({ step: 'many', count: 3000, userId: 'together' })
      for (let i = 0; i < 100; i++) {
        await all({ step: 'many', count: 30, userId: 'scattered' })
        await all({ step: 'many', count: 100 })
      }
      const closed = await all({ step: 'close' })
      line('bytes of the file', 'bytes', [['', 0.5]], closed)
      line('open', 'ms', [['', 0.5]], await all({ step: 'open', embedder }))
    }
    // Statements are prepared and pages in the cache; the WAL begins anew, so that its size tells what is written.
    await all({ step: 'single', count: 100, width: 1 })
    await all({ step: 'close' })
    await all({ step: 'open', embedder })
    await all({ step: 'single', count: 20, width: 1 })
    line(`${prefix}add`, 'pages', [['', 0.5]], await all({ step: 'pages', count: 50 }))
    rates(`${prefix}add, one after the other`, await all({ step: 'single', count: 200, width: 1 }, pieces))
    rates(`${prefix}add, 64 at a time`, await all({ step: 'single', count: 1000, width: 64 }, pieces))
    if (!embedder) {
      for (const userId of ['together', 'scattered']) {
        line(`delete 3000, ${userId}`, 'ms', [['', 0.5]], await all({ step: 'clearScope', userId }))
      }
    }
    await all({ step: 'close' })
    await all({ step: 'clear' })
  }

  try {
    if ('plain'.startsWith(options.only)) await measure('', false, size)
    if ('embedded'.startsWith(options.only)) await measure('embedded ', true, Number(options.embedded))
  } finally {
    await all({ step: 'end' })
  }
}

await (process.env.CHILD ? serve() : run())
