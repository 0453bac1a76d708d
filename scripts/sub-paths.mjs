// What package.json exports beside the root. A room of stores, embedders or models is a sub-path by being there.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './run-command.mjs'

const rooms = async (folder) =>
  (await readdir(join(root, 'src', folder), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && existsSync(join(root, 'src', folder, entry.name, 'index.ts')))
    .map((entry) => `${folder}/${entry.name}`)
    .sort()

/** For example `stores/sqlite`, without `mneme/` in front. */
export async function subPaths() {
  return [
    ...(await rooms('stores')),
    ...(await rooms('embedders')),
    ...(await rooms('models')),
    'conformance',
    'testing',
  ]
}
