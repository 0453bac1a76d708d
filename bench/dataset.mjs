// The texts with their vectors, kept in two files so that every child reads the same ones: text lines, and float32 rows.
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { questions, readSources, texts } from './corpus.mjs'

const seed = 20261130
const batch = 1000
const asked = 320
/** So many questions are for warming up and are never timed. */
export const warmUp = 20
export const dimensions = 256

const names = (folder) => ({
  meta: join(folder, 'data.json'),
  text: join(folder, 'data.txt'),
  vectors: join(folder, 'data.f32'),
})

/** What the texts depend on. A change of it makes them anew. */
async function keyOf(sources) {
  const code = await Promise.all(
    ['corpus.mjs', 'random.mjs', 'dataset.mjs'].map((name) => readFile(new URL(name, import.meta.url))),
  )
  const hash = createHash('sha256').update(JSON.stringify([seed, sources]))
  for (const text of code) hash.update(text)
  return hash.digest('hex').slice(0, 12)
}

async function readMeta(folder) {
  const { meta } = names(folder)
  return existsSync(meta) ? JSON.parse(await readFile(meta, 'utf8')) : null
}

/**
 * Makes the data in `folder` unless enough of it is there.
 * @returns its key, which changes when the texts do
 */
export async function prepareData({ root, folder, size, embedder, keep, say }) {
  const sources = await readSources(root)
  const key = `${await keyOf(sources)}-${embedder.id}`
  const old = await readMeta(folder)
  if (old && old.count >= size && (keep || old.key === key)) return old.key
  await mkdir(folder, { recursive: true })
  const paths = names(folder)
  await rm(paths.meta, { force: true })
  const text = openSync(`${paths.text}.new`, 'w')
  const vectors = openSync(`${paths.vectors}.new`, 'w')
  const source = texts(sources, seed)
  for (let done = 0; done < size; ) {
    const lines = Array.from({ length: Math.min(batch, size - done) }, () => source.next().value)
    const made = await embedder.embed(lines, { purpose: 'document' })
    const rows = new Float32Array(lines.length * dimensions)
    made.forEach((vector, i) => {
      rows.set(vector, i * dimensions)
    })
    writeSync(text, `${lines.join('\n')}\n`)
    writeSync(vectors, new Uint8Array(rows.buffer))
    done += lines.length
    if (done % 100_000 === 0) say(`data: ${done} of ${size} texts`)
  }
  closeSync(text)
  closeSync(vectors)
  renameSync(`${paths.text}.new`, paths.text)
  renameSync(`${paths.vectors}.new`, paths.vectors)
  await writeFile(paths.meta, JSON.stringify({ key, count: size, questions: questions(sources, seed + 1, asked) }))
  return key
}

/** The questions: some to warm up with, and those that count. */
export async function readQuestions(folder) {
  const { questions: all } = await readMeta(folder)
  return { warm: all.slice(0, warmUp), timed: all.slice(warmUp) }
}

/** The first `size` texts with their vectors, in batches. */
export async function* readData(folder, size, batchSize = batch) {
  const paths = names(folder)
  const vectors = openSync(paths.vectors, 'r')
  const file = await open(paths.text)
  try {
    let lines = []
    let first = 0
    for await (const line of file.readLines()) {
      lines.push(line)
      if (lines.length < batchSize && first + lines.length < size) continue
      const rows = new Float32Array(lines.length * dimensions)
      readSync(vectors, rows, 0, rows.byteLength, first * dimensions * 4)
      yield {
        first,
        texts: lines,
        vectors: lines.map((_, i) => rows.subarray(i * dimensions, (i + 1) * dimensions)),
        rows,
      }
      first += lines.length
      lines = []
      if (first >= size) return
    }
  } finally {
    closeSync(vectors)
    await file.close()
  }
}

/** The first `size` vectors as one block after another. */
export function* readVectors(folder, size, block = 10_000) {
  const file = openSync(names(folder).vectors, 'r')
  try {
    for (let first = 0; first < size; first += block) {
      const rows = new Float32Array(Math.min(block, size - first) * dimensions)
      readSync(file, rows, 0, rows.byteLength, first * dimensions * 4)
      yield { first, rows }
    }
  } finally {
    closeSync(file)
  }
}
