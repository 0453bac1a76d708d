// What the in-process index costs: memory, opening, searching. Through the public API, over a file with made-up words and vectors.
//
//   npm run build && node bench/index.mjs 10000 100000
//   node bench/index.mjs --dist ../other/dist 100000
//   node bench/index.mjs --keep ../files 1000000          files of an earlier run are used again
//
// Records: 30 words of 50,000 and 35 tokens, frequent ones more often; vectors of 256 numbers about 200 centres; 100 users.
// The machine may be busy otherwise: figures of one run compare, those of two runs need not. `min` is a fair guess for an idle
// machine.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { createRandom } from './random.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
    keep: { type: 'string' },
    queries: { type: 'string', default: '200' },
    child: { type: 'string' },
  },
})
const load = (path) => import(pathToFileURL(join(resolve(options.dist), path)).href)

const dimensions = 256
const space = `bench-${dimensions}`
const users = 100
const vocabulary = 50_000
// Digits in them, so that no stemmer changes them.
const words = Array.from({ length: vocabulary }, (_, i) => `w${i}x`)

function unit(random, centre) {
  const vector = Float32Array.from({ length: dimensions }, (_, d) => (centre?.[d] ?? 0) + (random.next() - 0.5) * 0.8)
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function embedderOf(random) {
  // Questions are not alike, whatever is in them.
  return { id: space, dimensions, embed: async (texts) => texts.map(() => unit(random)) }
}

/** Writes records as the engine would have made them. */
async function fill(path, count) {
  const { sqlite } = await load('stores/sqlite/index.js')
  const random = createRandom(1)
  const centres = Array.from({ length: 200 }, () => unit(random))
  const store = sqlite({ path })
  await store.open()
  for (let done = 0; done < count; ) {
    const changes = []
    for (; changes.length < 1000 && done < count; done++) {
      const counts = new Map()
      for (let i = 0; i < 30; i++) {
        const word = words[random.zipf(vocabulary)]
        counts.set(word, (counts.get(word) ?? 0) + 1)
      }
      const tokens = new Set(Array.from({ length: 35 }, () => 1000 + random.zipf(29_000)))
      changes.push({
        type: 'put',
        op: 'add',
        record: {
          id: `01900000-${String(done % 9973).padStart(4, '0')}-7000-8000-${String(done).padStart(12, '0')}`,
          kind: 'semantic',
          scope: { appId: 'bench', userId: `u${done % users}` },
          content: [...counts.keys()].join(' '),
          status: 'live',
          source: { type: 'user' },
          tags: [],
          metadata: {},
          importance: 0.5,
          confidence: 1,
          reliability: 1,
          trust: 'trusted',
          accessCount: 0,
          pinned: false,
        },
        hash: null,
        analysis: {
          analyser: 'bench',
          terms: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)),
          tokens: [...tokens].sort((a, b) => a - b),
          shape: 0,
        },
        vector: { space, values: unit(random, random.pick(centres)) },
      })
    }
    await store.commit({ id: `bench-${done}`, at: Date.now(), verb: 'add', requires: [], changes })
  }
  await store.close()
}

function summary(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) => Number(sorted[Math.floor((sorted.length - 1) * share)].toFixed(3))
  return { min: at(0), p50: at(0.5), p95: at(0.95) }
}

async function inTurn(count, action) {
  const times = []
  for (let i = 0; i < count; i++) {
    const start = performance.now()
    await action(i)
    times.push(performance.now() - start)
  }
  return summary(times)
}

const megabytes = () => Math.round(process.memoryUsage().rss / 1e6)

/** In a process of its own: opens the file, searches once, and if asked for, many times. */
async function measure(path, searches) {
  const start = performance.now()
  const { openMemory } = await load('index.js')
  const imported = performance.now()
  const random = createRandom(2)
  const memory = await openMemory({ path, embedder: embedderOf(random) })
  const drawn = (draw) => Array.from({ length: 4 }, draw).join(' ')
  const frequent = () => drawn(() => words[random.zipf(vocabulary)])
  const rarer = () => drawn(() => words[100 + random.below(2000)])
  const everybody = { allScopes: true, limit: 10 }
  await memory.search(rarer(), everybody)
  const figures = {
    'first search ms': Math.round(performance.now() - imported),
    'import ms': Math.round(imported - start),
  }
  figures['resident MB'] = megabytes()
  if (searches > 0) {
    const one = () => ({ scope: { appId: 'bench', userId: `u${random.below(users)}` }, limit: 10 })
    const ways = {
      'text, words of the middle': () => memory.search(rarer(), { ...everybody, mode: 'text' }),
      'text, words as drawn': () => memory.search(frequent(), { ...everybody, mode: 'text' }),
      vector: () => memory.search(rarer(), { ...everybody, mode: 'vector' }),
      hybrid: () => memory.search(rarer(), everybody),
      'hybrid, one user': () => memory.search(rarer(), one()),
      'text, one user': () => memory.search(frequent(), { ...one(), mode: 'text' }),
    }
    for (const search of Object.values(ways)) await inTurn(Math.min(50, searches), search)
    for (const [name, search] of Object.entries(ways)) figures[`${name}, ms`] = await inTurn(searches, search)
    figures['resident MB after'] = megabytes()
  }
  const closing = performance.now()
  await memory.close()
  figures['close ms'] = Math.round(performance.now() - closing)
  return figures
}

async function inChild(path, searches) {
  const args = ['--dist', options.dist, '--child', JSON.stringify({ path, searches })]
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), ...args])
  return JSON.parse(stdout)
}

async function measureSize(folder, count) {
  const path = join(folder, `index-${count}.db`)
  if (!existsSync(path)) {
    const start = performance.now()
    await fill(path, count)
    print(`${count} records written`, { ms: Math.round(performance.now() - start) })
  }
  const { size } = await stat(path)
  print(`${count} opened without a snapshot`, await inChild(path, 0))
  print(`${count} opened with one`, await inChild(path, 0))
  print(`${count} again`, await inChild(path, 0))
  print(`${count} searched`, await inChild(path, Number(options.queries)))
  print(`${count} file`, { MB: Math.round(size / 1e6), 'with the snapshot': Math.round((await stat(path)).size / 1e6) })
}

function print(title, figures) {
  process.stdout.write(`${title}\n`)
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`  ${name}: ${JSON.stringify(value)}\n`)
}

if (options.child) {
  const { path, searches } = JSON.parse(options.child)
  process.stdout.write(JSON.stringify(await measure(path, searches)))
} else {
  const folder = options.keep ?? (await mkdtemp(join(tmpdir(), 'mneme-bench-index-')))
  await mkdir(folder, { recursive: true })
  try {
    for (const count of positionals.length > 0 ? positionals : ['10000']) await measureSize(folder, Number(count))
  } finally {
    if (!options.keep) await rm(folder, { recursive: true, force: true })
  }
}
