// What `npm install mneme` brings, from the package as it would be published, into an empty folder.
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { npm, run, runOrThrow } from '../../scripts/run-command.mjs'
import { timed } from '../measure.mjs'

export async function sizeOf(path) {
  const entry = await lstat(path)
  if (!entry.isDirectory()) return entry.size
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

export async function measure({ packageFolder, folder }) {
  const { stdout } = await runOrThrow([...npm, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: packageFolder,
  })
  const report = JSON.parse(stdout)
  const { filename, size } = Array.isArray(report) ? report[0] : Object.values(report)[0]
  const home = join(folder, 'consumer')
  await mkdir(home)
  // Without a package.json of its own npm would look for one further up.
  await writeFile(join(home, 'package.json'), '{ "name": "consumer", "private": true }')
  const milliseconds = await timed(() =>
    runOrThrow([...npm, 'install', '--no-audit', '--no-fund', join(folder, filename)], { cwd: home }),
  )
  const modules = join(home, 'node_modules')
  const installedBytes = await sizeOf(modules)
  const { packages } = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'))
  return {
    seconds: milliseconds / 1000,
    installedBytes,
    packedBytes: size,
    packages: Object.keys(packages).length,
    failingWithoutScripts: (await worksWithoutScripts(home, join(folder, filename))) ? 0 : 1,
  }
}

/** Whether a memory can be written and found where nothing was compiled, nor fetched besides the packages. */
async function worksWithoutScripts(home, tarball) {
  await rm(join(home, 'node_modules'), { recursive: true })
  await runOrThrow([...npm, 'install', '--ignore-scripts', '--no-audit', '--no-fund', tarball], { cwd: home })
  const program = `
    const { openMemory } = await import('mneme')
    const memory = await openMemory({ path: 'memory.db', scope: { userId: 'ann' } })
    await memory.add('Ann plays the cello')
    const { results } = await memory.search('which instrument?')
    await memory.close()
    process.exitCode = results.length === 1 ? 0 : 1`
  return (await run([process.execPath, '--input-type=module', '-e', program], { cwd: home })).code === 0
}
