// Checks what would be published, as somebody who installs it sees it: the files, their size, types under both module
// resolutions, every sub-path, the command, and how long the import takes. Needs a build. See CONTRIBUTING.md.
//
//   node scripts/pack-check.mjs
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { createChecks, installed, npm, root, runOrThrow, whenProgram } from './run-command.mjs'
import { subPaths } from './sub-paths.mjs'

const megabyte = 1_000_000
const packedLimit = 15 * megabyte
const installedLimit = 60 * megabyte

const pages = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'NOTICE',
  'README.md',
  'SPEC.md',
  'package.json',
]
const prose =
  /^(?:docs|decisions)\/[\w.-]+\.md$|^examples\/[\w.-]+\.(?:md|mjs)$|^bench\/results\/[\w.-]+\.(?:md|svg)$|^src\/embedders\/README\.md$/
const data =
  /^data\/(?:static-en-256\/(?:README\.md|golden\.json|weights\.i8|scales\.f32|vocab\.txt)|sample\/[\w.-]+\.(?:json|md))$/
const built = /^dist\/(.+?)\.(?:d\.ts|js)$/
const shared = /^dist\/shared\/code\/[\w.-]+\.js$/

function checkFiles(names, paths) {
  assert(
    names.has('data/static-en-256/weights.i8') && names.has('data/static-en-256/README.md'),
    'the table is missing',
  )
  for (const name of names) {
    if ([prose, data, shared].some((pattern) => pattern.test(name)) || pages.includes(name)) continue
    const stem = built.exec(name)?.[1]
    assert(stem, `${name} does not belong in the package`)
    assert(!stem.endsWith('.test'), `${name} is a test`)
    assert(existsSync(join(root, 'src', `${stem}.ts`)), `${name} has no source: build again`)
    assert(names.has(`dist/${stem}.d.ts`), `${name} has no types`)
  }
  for (const path of ['index', ...paths.map((one) => `${one}/index`), 'cli/main']) {
    assert(names.has(`dist/${path}.js`), `dist/${path}.js is missing`)
  }
}

/** Links between the pages lead to what is in the package too. */
async function checkLinks(names) {
  const broken = []
  for (const page of [...names].filter((name) => name.endsWith('.md'))) {
    const text = await readFile(join(root, page), 'utf8')
    for (const [, link] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(link)) continue
      const target = posix.join(posix.dirname(page), link).replace(/\/$/, '')
      if (!names.has(target) && ![...names].some((name) => name.startsWith(`${target}/`)))
        broken.push(`${page}: ${link}`)
    }
  }
  assert.deepEqual(broken, [])
}

async function sizeOf(path) {
  const entry = await lstat(path)
  if (!entry.isDirectory()) return entry.size
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The consumer's program: every sub-path, and a memory that is written, searched, closed and opened again. */
const consumer = (paths) => `
import { openMemory, InputError, MnemeError, cosine, type MemoryEngine, type MemoryRecord, type SearchHit } from 'mneme'
import { memory } from 'mneme/stores/memory'
import { sqlite } from 'mneme/stores/sqlite'
import { hashing } from 'mneme/embedders/hashing'
${paths.map((path, index) => `import * as part${index} from 'mneme/${path}'`).join('\n')}

for (const part of [${paths.map((_, index) => `part${index}`).join(', ')}]) {
  if (Object.keys(part).length === 0) throw new Error('a sub-path exports nothing')
}
const check = (fact: boolean, what: string) => {
  if (!fact) throw new Error(what)
}

async function remembers(open: () => Promise<MemoryEngine>) {
  const engine: MemoryEngine = await open()
  const { record }: { record: MemoryRecord } = await engine.add('Ann plays the cello', { scope: { userId: 'ann' } })
  const { results } = await engine.search('which instrument does she play?', { scope: { userId: 'ann' } })
  const hit: SearchHit | undefined = results[0]
  check(hit?.id === record.id && hit.score > 0, 'the memory was not found')
  check((await engine.search('cello', { scope: { userId: 'bob' } })).results.length === 0, 'another scope sees it')
  const refused: unknown = await engine.search('cello').catch((error: unknown) => error)
  check(MnemeError.is(refused, 'SCOPE_REQUIRED') && refused instanceof InputError, 'a call without a scope was answered')
  await engine.close()
}
await remembers(() => openMemory({ path: './memory.db' }))
await remembers(() => openMemory({ store: memory(), embedder: hashing() }))
await remembers(() => openMemory({ store: sqlite({ path: ':memory:' }), embedder: false }))

const again = await openMemory({ path: './memory.db', scope: { userId: 'ann' } })
check((await again.list()).records.length === 1, 'the memory was not kept')
// @ts-expect-error a misspelt option is a type error
await again.search('cello', { limt: 3 }).then(() => check(false, 'a misspelt option was taken'), () => {})
await again.close()
check(cosine(new Float32Array([1, 0]), new Float32Array([1, 0])) === 1, 'cosine')
console.log('consumer ok')
`

/** Two kinds of consumers: Node's own resolution with Node's types, and a bundler with those of the browser. */
const consumers = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023', 'esnext.disposable'], types: ['node'] },
  bundler: {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'esnext.disposable', 'dom', 'dom.asynciterable'],
    types: [],
  },
}

/** Milliseconds that the import of the root takes in a new process: fastest and median of nine. */
async function importTime(folder) {
  const program = "const s = performance.now(); await import('mneme'); console.log(performance.now() - s)"
  const times = []
  for (let round = 0; round < 9; round += 1) {
    const { stdout } = await runOrThrow([process.execPath, '--input-type=module', '-e', program], { cwd: folder })
    times.push(Number(stdout))
  }
  times.sort((a, b) => a - b)
  return { fastest: Math.round(times[0]), median: Math.round(times[4]) }
}

export async function packChecks() {
  const { check, counts } = createChecks()
  const folder = await mkdtemp(join(tmpdir(), 'mneme-pack-'))
  const paths = await subPaths()
  const tsc = [process.execPath, installed('typescript', 'bin', 'tsc')]
  try {
    const packed = await check('npm pack', async () => {
      const { stdout } = await runOrThrow([...npm, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder])
      const report = JSON.parse(stdout)
      const { filename, size, files } = Array.isArray(report) ? report[0] : Object.values(report)[0]
      return { path: join(folder, filename), size, names: new Set(files.map((file) => file.path)) }
    })
    if (!packed) return counts
    await check('it holds every page', () => {
      assert.deepEqual(
        pages.filter((page) => !packed.names.has(page)),
        [],
      )
    })
    await check('it holds what was built, the table and the sample, and nothing else', () =>
      checkFiles(packed.names, paths),
    )
    await check('links between its pages lead somewhere', () => checkLinks(packed.names))
    await check(`packed: ${packed.names.size} files, ${(packed.size / megabyte).toFixed(1)} MB`, () => {
      assert(packed.size < packedLimit, `more than ${packedLimit / megabyte} MB`)
    })
    await check('publint', () =>
      runOrThrow([process.execPath, installed('publint', 'src', 'cli.js'), 'run', packed.path, '--strict']),
    )

    const home = join(folder, 'consumer')
    const modules = join(home, 'node_modules')
    const options = { cwd: home, env: { HOME: home }, seconds: 120 }
    const isInstalled = await check('installs from the tarball, without scripts', async () => {
      await mkdir(home)
      await writeFile(join(home, 'package.json'), '{ "name": "consumer", "type": "module", "private": true }')
      const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
      await runOrThrow([...npm, 'install', ...flags, packed.path], { cwd: home, seconds: 240 })
      return true
    })
    if (!isInstalled) return counts
    const size = await sizeOf(modules)
    await check(`installed with dependencies: ${(size / megabyte).toFixed(1)} MB`, () => {
      assert(size < installedLimit, `more than ${installedLimit / megabyte} MB`)
    })

    await writeFile(join(home, 'consumer.ts'), consumer(paths))
    for (const [name, kind] of Object.entries(consumers)) {
      if (kind.types.includes('node')) await symlink(installed('@types'), join(modules, '@types'), 'junction')
      await check(`types resolve with ${name}, libraries checked too`, async () => {
        const compilerOptions = { ...kind, target: 'es2023', strict: true, outDir: 'out', skipLibCheck: false }
        await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
        await runOrThrow([...tsc, '--pretty', 'false', '-p', '.'], options)
      })
      await rm(join(modules, '@types'), { force: true })
    }
    await check('every sub-path can be imported, a memory written and found', () =>
      runOrThrow([process.execPath, 'out/consumer.js'], options),
    )
    await check('the installed command answers, remembers and finds', async () => {
      const mneme = (...args) =>
        runOrThrow([process.execPath, join(modules, 'mneme', 'dist', 'cli', 'main.js'), ...args], options)
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
      assert.equal((await mneme('--version')).stdout, `${version}\n`)
      await mneme('add', 'Ann plays the cello', '--user', 'ann', '--db', 'command.db')
      const { stdout } = await mneme('search', 'which instrument?', '--user', 'ann', '--db', 'command.db')
      assert.match(stdout, /Ann plays the cello/)
      // Parts of the command line that load late must be there too.
      for (const args of [
        ['bench', '--help'],
        ['doctor', '--db', 'command.db'],
      ])
        await mneme(...args)
    })
    await check('the root works with only stemmer installed', async () => {
      const bare = join(folder, 'bare')
      for (const name of ['mneme', 'stemmer'])
        await cp(join(modules, name), join(bare, 'node_modules', name), { recursive: true })
      const program = `
        const { openMemory } = await import('mneme')
        const { memory } = await import('mneme/stores/memory')
        const engine = await openMemory({ store: memory(), scope: { userId: 'ann' } })
        await engine.add('Ann plays the cello')
        if ((await engine.search('cello')).results.length !== 1) throw new Error('not found')
        await engine.close()`
      await runOrThrow([process.execPath, '--input-type=module', '-e', program], { cwd: bare })
    })
    const { fastest, median } = await importTime(home)
    console.log(`  import of mneme: ${fastest} ms at best, ${median} ms median of 9 (target 60 ms, not asserted)`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return counts
}

await whenProgram(import.meta.url, packChecks)
