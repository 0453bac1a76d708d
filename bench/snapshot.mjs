// A copy of the built package that nobody else writes to, so that a run of hours measures one build.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { rolldown } from 'rolldown'
import { npm, runOrThrow } from '../scripts/run-command.mjs'

async function hashOf(folder) {
  const hash = createHash('sha256')
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    if (name.endsWith('.js')) hash.update(name).update(await readFile(join(folder, name)))
  }
  return hash.digest('hex').slice(0, 8)
}

/** Takes the table of word pieces away from `openMemory`: search without token match is no option of the public interface. */
const withoutTokenMatch = {
  name: 'without-token-match',
  transform(code, id) {
    if (!id.endsWith(join('engine', 'open-memory.ts'))) return null
    const made = code.replace('staticTokenTable()', 'null')
    if (made === code) throw new Error('openMemory takes its token table from elsewhere now: adapt bench/snapshot.mjs')
    return made
  },
}

/** mneme without token match. As deep as what it is bundled from, since it finds data by counting steps up. */
async function bundlePlainEngine(root, folder) {
  const bundle = await rolldown({
    cwd: root,
    input: { engine: 'src/index.ts' },
    plugins: [withoutTokenMatch],
    platform: 'node',
    external: (id) => !/^[.\0]/.test(id) && !isAbsolute(id) && !/^(?:zod|@oxc-project\/runtime)(?:\/|$)/.test(id),
    transform: { target: 'node20.19' },
    logLevel: 'silent',
  })
  await bundle.write({
    dir: join(folder, 'bench', 'plain', 'code'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
}

/**
 * Copies the package as it is built now.
 * @param keep take the copy that is there, if one is
 * @returns its folder and a name for the build
 */
export async function snapshot({ root, cache, keep }) {
  const folder = join(cache, 'package')
  const mark = join(folder, 'build.txt')
  if (keep && existsSync(mark)) return { folder, build: await readFile(mark, 'utf8') }
  if (!existsSync(join(root, 'dist', 'index.js'))) throw new Error('There is no dist: run `npm run build` first.')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { stdout } = await runOrThrow([...npm, 'pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root })
  const report = JSON.parse(stdout)
  const { files } = Array.isArray(report) ? report[0] : Object.values(report)[0]
  for (const { path } of files) await cp(join(root, path), join(folder, path))
  await bundlePlainEngine(root, folder)
  const build = await hashOf(join(folder, 'dist'))
  await writeFile(mark, build)
  return { folder, build }
}
