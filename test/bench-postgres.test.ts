import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { freshName, postgresUrl } from './fixtures/servers.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const url = await postgresUrl()

describe.skipIf(url === null)('npm run bench:postgres', () => {
  it('[PGS-54] fills a store, measures searches that are narrowed, recall and writes, and keeps the plans beside the figures', async () => {
    const out = await mkdtemp(join(tmpdir(), 'mneme-bench-postgres-'))
    const size = 2000
    const options = {
      ...{ url: url as string, schema: freshName(), size: String(size), questions: '5', seconds: '2' },
      ...{ data: join(out, 'data'), out },
    }
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    await promisify(execFile)(process.execPath, [join(root, 'bench', 'postgres', 'run.mjs'), ...args], { cwd: root })
    const names = await readdir(out)
    const page = await readFile(join(out, names.find((name) => name.endsWith('-postgres.md')) as string), 'utf8')
    const json = await readFile(join(out, names.find((name) => name.endsWith('-postgres.json')) as string), 'utf8')
    const { searches, recall, load, plans } = JSON.parse(json)
    expect(load.records).toBe(size)
    expect(Object.values(searches as Record<string, { count: number }>).every((one) => one.count === 5)).toBe(true)
    for (const { recallAt10 } of Object.values(recall as Record<string, { recallAt10: number }>))
      expect(recallAt10).toBeGreaterThanOrEqual(0.95)
    expect(JSON.stringify(plans)).toContain('postings_term')
    expect(page).toContain('Execution Time')
    expect(page).not.toContain(new URL(url as string).password)
    await rm(out, { recursive: true, force: true })
  }, 600_000)
})
