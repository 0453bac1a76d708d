import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
// A dozen processes, each of which opens a memory: half a minute, but not on a busy machine.
const patience = 600_000
const rows = ['build', 'search', 'scope', 'search-after-add', 'recall', 'add', 'delete-scope', 'open', 'import']

interface Measurement {
  readonly row: string
  readonly size: number
  readonly run: number
  readonly variant?: string
  readonly values?: Readonly<Record<string, number>>
  readonly error?: string
}

describe('npm run bench', () => {
  let out: string
  let cache: string
  const bench = (...args: string[]) =>
    run(process.execPath, [join(root, 'bench', 'run.mjs'), '--out', out, '--cache', cache, '--runs', '1', ...args], {
      cwd: root,
    })
  const measured = async () => {
    const name = (await readdir(out)).find((file) => file.endsWith('-bench.json')) as string
    return JSON.parse(await readFile(join(out, name), 'utf8')).measurements as readonly Measurement[]
  }
  const page = async () => {
    const name = (await readdir(out)).find((file) => file.endsWith('-bench.md')) as string
    return await readFile(join(out, name), 'utf8')
  }

  beforeAll(async () => {
    out = await mkdtemp(join(tmpdir(), 'mneme-bench-out-'))
    // Inside of the repository, so that the copy of the package finds its dependencies.
    cache = join(root, '.cache', `bench-test-${process.pid}`)
    // What failed is in the results: the first test says it better than an exit code.
    await bench('--sizes', '500', '--rows', rows.join(',')).catch((error) => {
      if (error.code !== 1) throw error
    })
  }, patience)
  afterAll(async () => {
    for (const folder of [out, cache]) await rm(folder, { recursive: true, force: true })
  })

  test('[BEN-12] every row is measured and its figures are written as JSON', async () => {
    const all = await measured()
    expect(all.filter(({ error }) => error)).toEqual([])
    expect([...new Set(all.map(({ row }) => row))]).toEqual(rows)
    expect(all.filter(({ row }) => row === 'search').map(({ variant }) => variant)).toEqual([
      'hybrid',
      'no-token-match',
      'text',
      'vector',
    ])
    for (const { values, size } of all) {
      expect(size).toBe(500)
      expect(Object.values(values ?? {}).every(Number.isFinite)).toBe(true)
    }
  })

  test('[BEN-12] the vector stage finds what comparing every vector finds', async () => {
    expect((await measured()).find(({ row }) => row === 'recall')?.values?.recall).toBeGreaterThanOrEqual(0.98)
  })

  test('[BEN-12] scores in a scope are the same bit for bit when the store holds nothing else', async () => {
    expect((await measured()).find(({ row }) => row === 'scope')?.values?.equalScores).toBe(1)
  })

  test('[BEN-13] the page has every target and no path of the machine; the growth is drawn', async () => {
    const text = await page()
    expect(text).toContain('| hybrid search without token match, p50 | 100k | ≤ 1.00 ms |  | not measured |')
    expect(text).toContain('### search/no-token-match')
    expect(text.includes(root) || text.includes(tmpdir())).toBe(false)
    const plot = await readFile(join(out, 'growth.svg'), 'utf8')
    expect(plot).toMatch(/^<svg [\s\S]*<\/svg>\n$/)
    expect(plot.match(/<circle/g)).toHaveLength(4)
  })

  test(
    '[BEN-14] resumed, it measures only what is missing',
    async () => {
      const { stdout } = await bench('--sizes', '500', '--rows', 'open,import-time', '--resume')
      expect(stdout).toMatch(/import-time, run 1\/1/)
      expect(stdout).not.toMatch(/open 500/)
      expect((await measured()).map(({ row }) => row)).toContain('import-time')
    },
    patience,
  )

  test('[BEN-15] an unknown row or size is refused with the exit code of bad input', async () => {
    for (const args of [
      ['--rows', 'serch'],
      ['--sizes', '0'],
      ['--only', 'nobody'],
    ]) {
      await expect(bench(...args), args.join(' ')).rejects.toMatchObject({ code: 2 })
    }
  })
})
