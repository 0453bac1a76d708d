import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// Nothing of the machine it was written on, and nothing that may only be measured with, gets into the repository.
// Patterns are put together so that this file does not hold what it looks for.

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString('utf8')
  .split('\0')
  .filter((name) => name !== '')

/** Text files with their text; what has a NUL byte is no text. A file may be listed and deleted at the same time. */
function* texts(): Generator<{ name: string; text: string }> {
  for (const name of files) {
    let bytes: Buffer
    try {
      bytes = readFileSync(join(root, name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      throw error
    }
    if (!bytes.includes(0)) yield { name, text: bytes.toString('utf8') }
  }
}

/** `file:line` of every line that matches. */
function linesWith(pattern: RegExp, where: (name: string) => boolean = () => true): string[] {
  const found: string[] = []
  for (const { name, text } of texts()) {
    if (!where(name) || !pattern.test(text)) continue
    for (const [index, line] of text.split('\n').entries()) if (pattern.test(line)) found.push(`${name}:${index + 1}`)
  }
  return found
}

const anyOf = (...parts: readonly string[][]) => new RegExp(parts.map((part) => part.join('')).join('|'))
const isPage = (name: string) => /\.(?:md|mjs|json|toml|ya?ml)$/.test(name)

test('[PIN-4] the repository has files to look at', () => {
  expect(files).toContain('src/index.ts')
  expect(linesWith(/openMemory/).length).toBeGreaterThan(5)
})

test('[PIN-4] no path of a machine', () => {
  expect(linesWith(anyOf(['(?<![\\w.])/', 'work/'], ['(?<![\\w.])/', 'root/']))).toEqual([])
  expect(linesWith(anyOf(['(?<![\\w.])/', 'tmp/']), isPage)).toEqual([])
})

test('[PIN-4] no host of a package registry', () => {
  const hosts = anyOf(
    ['registry', '\\.\\w+\\.\\w'],
    ['artifact', 'ory'],
    ['"resolved"', ': "https?:'],
    ['_auth', 'Token'],
  )
  expect(linesWith(hosts)).toEqual([])
})

test('[PIN-4] none of the LoCoMo data set, which may not be redistributed', () => {
  expect(files.filter((name) => /locomo.*\.jsonl?$/i.test(name))).toEqual([])
  expect(linesWith(anyOf(['"dia', '_id"'], ['"blip', '_caption"'], ['"D\\d+', ':\\d+"']))).toEqual([])
})
