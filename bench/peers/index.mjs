// What a user would take instead of mneme. An adapter is a function of a folder that gives
// { insert({ ids, texts, vectors }), finish?(), search(vector, text, k) -> ids, close?(), onDisk? }.
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { npm, run } from '../../scripts/run-command.mjs'

const lancedb = { '@lancedb/lancedb': '0.31.0' }

/** `largest`: beyond it one search takes minutes, or memory does not suffice. */
const peers = {
  'brute-force': { title: 'plain TypeScript loop over Float32Array', packages: {}, largest: 1_000_000 },
  'sqlite-vec': {
    title: 'sqlite-vec 0.1.9, vec0',
    packages: { 'sqlite-vec': '0.1.9', '@photostructure/sqlite': '1.2.1' },
    largest: 1_000_000,
  },
  mem0: { title: 'mem0ai 3.3.1, default store, its vector search', packages: { mem0ai: '3.3.1' }, largest: 100_000 },
  'mem0-search': {
    title: 'mem0ai 3.3.1, default store, Memory.search',
    packages: { mem0ai: '3.3.1' },
    largest: 100_000,
    as: 'mem0',
  },
  langgraph: {
    title: 'LangGraph 1.2.2 InMemoryStore',
    packages: { '@langchain/langgraph-checkpoint': '1.2.2', '@langchain/core': '1.4.0' },
    largest: 100_000,
  },
  lancedb: { title: 'LanceDB 0.31.0, no index', packages: lancedb, largest: 1_000_000 },
  'lancedb-hnsw': { title: 'LanceDB 0.31.0, HNSW_SQ', packages: lancedb, largest: 100_000, as: 'lancedb' },
  'lancedb-ivf': { title: 'LanceDB 0.31.0, IVF_PQ', packages: lancedb, largest: 100_000, as: 'lancedb' },
}

export const peerNames = Object.keys(peers)
export const peerOf = (name) => peers[name]
const folderOf = (name) => peers[name].as ?? name

/** Nothing a peer might keep or send on its own leaves the folder. */
export const peerEnvironment = (folder) => ({
  HOME: folder,
  MEM0_DIR: folder,
  MEM0_TELEMETRY: 'false',
  LANGCHAIN_TRACING_V2: 'false',
  LANGSMITH_TRACING: 'false',
  DO_NOT_TRACK: '1',
})

/** @returns null, or why the peer could not be installed */
export async function install(name, peersFolder) {
  const { packages } = peers[name]
  const folder = join(peersFolder, folderOf(name))
  const isThere = async () => {
    const versions = Object.entries(packages).map(async ([one, version]) => {
      const path = join(folder, 'node_modules', one, 'package.json')
      return existsSync(path) && JSON.parse(await readFile(path, 'utf8')).version === version
    })
    return (await Promise.all(versions)).every(Boolean)
  }
  if (await isThere()) return null
  await mkdir(folder, { recursive: true })
  // Without a package.json of its own npm would install into a folder further up.
  await writeFile(join(folder, 'package.json'), '{ "name": "bench-peer", "private": true }\n')
  const wanted = Object.entries(packages).map(([one, version]) => `${one}@${version}`)
  const command = [...npm, 'install', '--prefix', folder, '--save-exact', '--no-audit', '--no-fund', ...wanted]
  const { code, output } = await run(command, { cwd: folder, seconds: 1200 })
  if (await isThere()) return null
  return `npm install ended with ${code}: ${output.trim().split('\n').slice(-3).join(' ')}`
}

/** A peer with an empty store in `folder`, its packages taken from where the bench put them. */
export async function load(name, { peersFolder, folder, dimensions, size }) {
  await mkdir(folder, { recursive: true })
  const require = createRequire(join(peersFolder, folderOf(name), 'package.json'))
  const { create } = await import(`./${folderOf(name)}.mjs`)
  return await create({ require, folder, dimensions, size, name })
}
