import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshName, postgresUrl, redisUrl } from './fixtures/servers.ts'

// Real processes over real servers: the built package, as a deployment has it.

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
const [postgres, redis] = await Promise.all([postgresUrl(), redisUrl()])
// Each process opens a memory of its own, on a busy machine one after the other.
const patience = 600_000

/** The address of a part of the server that nobody else uses. */
function own(url: string, name: string): string {
  const parted = new URL(url)
  parted.searchParams.set(name, freshName())
  return parted.href
}

describe('examples/several-processes.mjs', () => {
  const example = async (env: Readonly<Record<string, string>>) => {
    const clean = { ...process.env, MNEME_POSTGRES_URL: '', MNEME_REDIS_URL: '', ...env }
    return (await run(process.execPath, [join(root, 'examples', 'several-processes.mjs')], { env: clean })).stdout
  }

  it('[SRV-61] says without a server what to set, and ends well', { timeout: patience }, async () => {
    expect(await example({})).toMatch(/^NOT RUN: set MNEME_POSTGRES_URL .*\n$/)
  })

  it.skipIf(postgres === null)('[SRV-61] holds over one PostgreSQL', { timeout: patience }, async () => {
    const said = await example({ MNEME_POSTGRES_URL: own(postgres!, 'schema') })
    expect(said).toBe('4 processes wrote 20 notes through postgres; each heard of all\n')
  })

  it.skipIf(postgres === null || redis === null)(
    '[SRV-61] holds with a Redis before it',
    { timeout: patience },
    async () => {
      const urls = { MNEME_POSTGRES_URL: own(postgres!, 'schema'), MNEME_REDIS_URL: own(redis!, 'prefix') }
      expect(await example(urls)).toMatch(/through tiered \(redis over postgres\); each heard of all\n$/)
    },
  )
})

interface Load {
  readonly variant: string
  readonly perProcess: readonly number[]
  readonly faults: readonly string[]
  readonly errors: Readonly<Record<string, number>>
  readonly degraded: number
  readonly waited: number
  readonly checked: { readonly added: number; readonly counted: number; readonly records: number }
}

describe.skipIf(postgres === null || redis === null)('eight processes at once', () => {
  let runs: readonly Load[] = []
  let out: string
  beforeAll(async () => {
    out = await mkdtemp(join(tmpdir(), 'mneme-processes-'))
    // With this seed three of them begin with an addition and two with a counter, so there is something to check however slow they are.
    const args = ['--url', postgres!, '--redis', redis!, '--seconds', '1', '--seed', '34', '--out', out]
    // What does not hold is in the results: they say it better than an exit code.
    await run(process.execPath, [join(root, 'bench', 'processes', 'run.mjs'), ...args]).catch((error) => {
      if (error.code !== 1) throw error
    })
    const name = (await readdir(out)).find((file) => file.endsWith('.json')) as string
    runs = JSON.parse(await readFile(join(out, name), 'utf8')).runs
  }, patience)
  afterAll(() => rm(out, { recursive: true, force: true }))

  for (const [i, variant] of ['postgres', 'write-through', 'session'].entries()) {
    it(`[SRV-60] lose, double and show to strangers nothing: ${variant}`, () => {
      const { checked, perProcess, ...held } = runs[i] as Load
      expect(held).toMatchObject({ variant, faults: [], errors: {}, degraded: 0, waited: 0 })
      expect(perProcess).toHaveLength(8)
      expect(checked.added).toBeGreaterThanOrEqual(3)
      expect(checked.counted).toBeGreaterThanOrEqual(2)
      expect(checked.records).toBeGreaterThanOrEqual(checked.added)
    })
  }
})
