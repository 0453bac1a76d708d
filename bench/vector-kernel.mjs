// How fast vector search is, how much the first stage misses, and what the kernel saves: ratios of one run.
//
//   node bench/vector-kernel.mjs                       synthetic vectors, 10,000 and 100,000 rows; the token table
//   node bench/vector-kernel.mjs --million             also 1,000,000 rows (1 GB of memory for a while)
//   node bench/vector-kernel.mjs --texts file ...      also embedded texts: JSON of the assistant data or of LoCoMo's layout
//
// Times are milliseconds: median, and in brackets the best and the time of the processor. Recall is against comparing every row
// in float32. "JS" is the plain loop over float32 rows that does the same in TypeScript.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { build } from 'rolldown'

const { values: options } = parseArgs({
  options: {
    million: { type: 'boolean', default: false },
    texts: { type: 'string', multiple: true, default: [] },
    queries: { type: 'string', default: '50' },
  },
})
const dimensions = 256
const queryCount = Number(options.queries)

async function load() {
  // Three folders below the root, where the embedder looks for its data.
  const file = new URL('../.cache/bench/code/vector-kernel.mjs', import.meta.url)
  const entry = '\0entry'
  await build({
    input: entry,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) =>
          id === entry
            ? ['src/vector/index.ts', 'test/fixtures/vectors.ts', 'src/embedders/static-en-256/index.ts']
                .map((path) => `export * from ${JSON.stringify(new URL(`../${path}`, import.meta.url).pathname)}`)
                .join('\n')
            : null,
      },
    ],
    platform: 'node',
    external: /^node:/,
    logLevel: 'warn',
    output: { file: file.pathname, format: 'esm' },
  })
  return await import(file.href)
}

const code = await load()
const results = []

function report(row) {
  results.push(row)
  console.log(
    Object.entries(row)
      .map(([key, value]) => `${key}=${value}`)
      .join('  '),
  )
}

async function timed(repeat, run) {
  const times = []
  const before = process.cpuUsage()
  for (let i = 0; i < repeat; i++) {
    const start = performance.now()
    await run(i)
    times.push(performance.now() - start)
  }
  const { user, system } = process.cpuUsage(before)
  times.sort((a, b) => a - b)
  return { p50: times[times.length >> 1], best: times[0], cpu: (user + system) / 1000 / repeat }
}

/** Median, best, and time of the processor, which other work on the machine changes least. */
const ms = ({ p50, best, cpu }) => `${p50.toFixed(2)} (${best.toFixed(2)}, ${cpu.toFixed(2)})`

function plainNearest(rows, query, limit) {
  const best = code.topK(limit, (a, b) => a - b)
  let { floor } = best
  for (let row = 0, at = 0; at < rows.length; row++, at += dimensions) {
    const score = code.dotAt(query, rows, at)
    if (score < floor) continue
    best.offer(row, score)
    ;({ floor } = best)
  }
  return best.ranked()
}

const recall = (expected, found) => {
  const rows = new Set(found.map(({ row }) => row))
  return expected.filter(({ row }) => rows.has(row)).length / expected.length
}
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** @param vectors as many as rows are wanted, drawn one by one */
async function measure(name, count, next, queries, learning) {
  const keepsFloats = count <= 200_000
  const arena = code.createVectorArena({ dimensions, floatRows: keepsFloats ? 'all' : 0 })
  const rows = new Float32Array(count * dimensions)
  let appending = 0
  for (let row = 0; row < count; row++) {
    const vector = next()
    rows.set(vector, row * dimensions)
    const start = performance.now()
    arena.append(vector)
    appending += performance.now() - start
  }
  const floats = async (missing) => Array.from(missing, (row) => rows.slice(row * dimensions, (row + 1) * dimensions))
  const start = performance.now()
  const calibration = await arena.calibrate({ queries: learning })
  const calibrating = performance.now() - start
  for (const limit of [10, 200]) {
    const expected = []
    for (const query of queries) expected.push(await arena.nearest(query, null, { limit, floats, exact: true }))
    const found = []
    const fast = await timed(queries.length, async (i) => {
      found.push(await arena.nearest(queries[i], null, { limit, floats }))
    })
    const exact = await timed(Math.min(10, queries.length), (i) =>
      arena.nearest(queries[i], null, { limit, floats, exact: true }),
    )
    const plain = await timed(Math.min(5, queries.length), (i) => plainNearest(rows, queries[i], limit))
    report({
      data: name,
      rows: count,
      limit,
      k: (limit > 10 ? calibration.many : calibration.few) ?? 'all',
      'recall@10': mean(expected.map((hits, i) => recall(hits.slice(0, 10), found[i]))).toFixed(4),
      'recall@limit': mean(expected.map((hits, i) => recall(hits, found[i]))).toFixed(4),
      'search ms': ms(fast),
      'exact ms': ms(exact),
      'JS ms': ms(plain),
      'JS/search': (plain.cpu / fast.cpu).toFixed(1),
    })
  }
  const list = Uint32Array.from({ length: Math.min(10_000, count) }, (_, i) => Math.floor((i * count) / 10_000))
  const scoped = await timed(20, (i) => arena.nearest(queries[i % queries.length], list, { limit: 200, floats }))
  report({
    data: name,
    rows: count,
    'append us': ((1000 * appending) / count).toFixed(2),
    'calibrate ms': calibrating.toFixed(0),
    'scope of 10,000, limit 200, ms': ms(scoped),
    'arena MB': Math.round(arena.byteLength / 1e6),
  })
}

async function synthetic() {
  for (const count of options.million ? [10_000, 100_000, 1_000_000] : [10_000, 100_000]) {
    for (const spread of count > 100_000 ? ['clusters', 'scattered'] : ['clusters', 'mean', 'scattered', 'noise']) {
      const next = code.vectorSource(spread, dimensions)
      const draw = (length) => Array.from({ length }, next)
      const queries = draw(queryCount)
      await measure(spread, count, next, queries, draw(48))
    }
  }
}

/** Texts of a file, and questions about them. */
async function textsOf(file) {
  const data = JSON.parse(await readFile(file, 'utf8'))
  const texts = []
  const questions = []
  const visit = (value) => {
    if (Array.isArray(value)) for (const item of value) visit(item)
    else if (value !== null && typeof value === 'object') {
      if (typeof value.text === 'string') texts.push(value.text)
      if (typeof value.question === 'string') questions.push(value.question)
      for (const item of Object.values(value)) if (typeof item === 'object') visit(item)
    }
  }
  visit(data)
  return { texts, questions }
}

/** Sentences put together anew, so that there are as many texts as wanted and each has near relatives. */
function* recombined(texts) {
  const random = code.seeded(7)
  const sentences = texts.map((text) => text.split(/(?<=[.!?])\s+/))
  for (const text of texts) yield text
  const pick = (items) => items[Math.floor(random() * items.length)]
  for (;;) {
    const at = Math.floor(random() * sentences.length)
    const near = sentences[Math.min(sentences.length - 1, at + Math.floor(random() * 6))]
    yield `${pick(sentences[at])} ${random() < 0.5 ? pick(near) : pick(pick(sentences))}`
  }
}

async function embedded() {
  const all = await Promise.all(options.texts.map(textsOf))
  const texts = all.flatMap((one) => one.texts)
  const questions = all.flatMap((one) => one.questions)
  const random = code.seeded(3)
  questions.sort(() => random() - 0.5)
  const embedder = code.staticEn256()
  const embed = (list) => embedder.embed(list, { purpose: 'query' })
  console.log(`${texts.length} texts, ${questions.length} questions`)
  const queries = await embed(questions.slice(0, queryCount))
  for (const count of [10_000, 100_000]) {
    const source = recombined(texts)
    const vectors = await embed(Array.from({ length: count }, () => source.next().value))
    const learned = await embed(questions.slice(queryCount, queryCount + 48))
    for (const [name, learning] of [
      ['texts, K from questions', learned],
      ['texts, K from rows', []],
    ]) {
      let at = 0
      await measure(name, count, () => vectors[at++], queries, learning)
    }
  }
}

/** What the token match of a search asks: some seven tokens against those of all candidates. */
async function tokenTable() {
  const bytes = await readFile(new URL('../data/static-en-256/weights.i8', import.meta.url))
  const rows = bytes.length / dimensions
  const random = code.seeded(1)
  const others = Int32Array.from({ length: 1300 }, () => Math.floor(random() * rows))
  const tokens = Array.from({ length: 7 }, () => Math.floor(random() * rows))
  const weights = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  const wide = new Int32Array(dimensions)
  const plain = await timed(200, () => {
    for (const token of tokens) {
      for (let i = 0; i < dimensions; i++) wide[i] = weights[token * dimensions + i]
      const products = new Int32Array(others.length)
      for (let j = 0; j < others.length; j++) {
        let [sum0, sum1, sum2, sum3] = [0, 0, 0, 0]
        const row = others[j] * dimensions
        for (let i = 0; i < dimensions; i += 4) {
          sum0 = (sum0 + Math.imul(wide[i], weights[row + i])) | 0
          sum1 = (sum1 + Math.imul(wide[i + 1], weights[row + i + 1])) | 0
          sum2 = (sum2 + Math.imul(wide[i + 2], weights[row + i + 2])) | 0
          sum3 = (sum3 + Math.imul(wide[i + 3], weights[row + i + 3])) | 0
        }
        products[j] = sum0 + sum1 + sum2 + sum3
      }
    }
  })
  for (const kernel of ['wasm', 'plain']) {
    const table = code.createRowTable({ rows, dimensions, kernel })
    table.numbers.set(weights)
    const time = await timed(200, () => {
      for (const token of tokens) table.products(token, others)
    })
    report({
      data: `token table, ${kernel}`,
      products: '7 x 1300',
      ms: ms(time),
      'JS ms': ms(plain),
      ratio: (plain.cpu / time.cpu).toFixed(1),
    })
  }
}

await tokenTable()
if (options.texts.length > 0) await embedded()
await synthetic()
