import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// What the built root pulls in by static imports, so that `import 'mneme'` stays quick and needs no optional package.

const root = fileURLToPath(new URL('../../dist/index.js', import.meta.url))
const statement = /^(?:import|export)\b(?:[^'"();]*?\bfrom)?\s*['"]([^'"]+)['"]/gm

/** Packages and files reached from a file, over relative imports. */
function reachedFrom(entry: string): { packages: Set<string>; files: Set<string> } {
  const packages = new Set<string>()
  const files = new Set([entry])
  for (const file of files) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(statement)) {
      if (specifier.startsWith('.')) files.add(join(dirname(file), specifier))
      else packages.add(specifier)
    }
  }
  return { packages, files }
}

test('[PIN-2] the root reaches only stemmer and Node itself, and not the SQLite store', () => {
  expect(existsSync(root), 'dist is missing: npm run build').toBe(true)
  const { packages, files } = reachedFrom(root)
  const foreign = [...packages].filter((name) => !name.startsWith('node:'))
  expect(foreign).toEqual(['stemmer'])
  expect([...packages].filter((name) => builtinModules.includes(name))).toEqual([])
  // The walk did walk: the engine's code is in what was reached.
  const code = [...files].map((file) => readFileSync(file, 'utf8')).join('\n')
  expect(code).toContain('function openMemory')
  expect(code).not.toContain('BEGIN IMMEDIATE')
})

test('[PIN-2] no sub-path imports an optional package, commander or cli-progress', () => {
  const subPaths = [
    'stores/sqlite',
    'stores/memory',
    'stores/postgres',
    'stores/bolt',
    'stores/redis',
    'stores/tiered',
    'embedders/transformers',
    'embedders/openai-compatible',
    'testing',
  ]
  for (const subPath of subPaths) {
    const { packages } = reachedFrom(join(dirname(root), subPath, 'index.js'))
    const foreign = [...packages].filter((name) => !name.startsWith('node:') && name !== 'stemmer')
    expect(foreign, subPath).toEqual([])
  }
})

test('[PIN-2] whatever any built file imports, at once or later, is Node or a declared dependency, an optional one only later', () => {
  const folder = dirname(root)
  const manifest = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
    peerDependencies: Record<string, string>
  }
  const later = /\bimport\(\s*['"]([^'"]+)['"]/g
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
  const foreignBy = (pattern: RegExp) => {
    const imported = files.flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(pattern)])
    return new Set(imported.map(([, specifier = '']) => specifier).filter((one) => !/^(?:\.|node:)/.test(one)))
  }
  const [atOnce, atUse] = [foreignBy(statement), foreignBy(later)]
  expect([...atOnce].filter((name) => !Object.hasOwn(manifest.dependencies, name))).toEqual([])
  // Drivers of servers and the like, which only who uses them installs.
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies }
  expect([...atUse].filter((name) => !Object.hasOwn(declared, name))).toEqual([])
  const foreign = new Set([...atOnce, ...atUse])
  expect(foreign.size).toBeGreaterThan(2)
})
