import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeFromSpec } from '../src/engine/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { put, transaction } from '../src/testing/index.ts'
import { assertSame, everythingOf, writeRichMemory } from './fixtures/migrations.ts'
import { freshName, postgresUrl } from './fixtures/servers.ts'
import { testFile } from './fixtures/stores.ts'

// The built command, between a file and a server.

const main = join(import.meta.dirname, '../dist/cli/main.js')
const url = await postgresUrl()
const admin = new pg.Pool({ connectionString: url ?? 'postgres://localhost', max: 2 })
beforeAll(() => expect(existsSync(main), 'npm run build comes before this test').toBe(true))
afterAll(() => admin.end())

interface Ended {
  readonly exit: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

function start(
  argv: readonly string[],
  cwd?: string,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [main, ...argv], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    err += text
  })
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (exit, signal) => resolve({ exit, signal, out, err })),
  )
  return { child, ended }
}

const migrate = (from: string, to: string, ...more: readonly string[]) =>
  ['migrate', '--from', from, '--to', to, '-o', 'json', ...more] as const

async function answerOf(argv: readonly string[]): Promise<Record<string, unknown>> {
  const { exit, out, err } = await start(argv).ended
  expect([exit, err]).toEqual([0, ''])
  return JSON.parse(out)
}

/** The address of a schema of its own, dropped at the end. */
async function withSchema(work: (address: string, schema: string) => Promise<void>): Promise<void> {
  const schema = freshName()
  const address = new URL(url as string)
  address.searchParams.set('schema', schema)
  try {
    await work(address.href, schema)
  } finally {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  }
}

/** A memory with something of everything. */
async function richFile(more = 0): Promise<string> {
  const path = testFile()
  const store = sqlite({ path })
  await store.open()
  await writeRichMemory(store)
  const scope = { userId: 'carl' }
  for (let i = 0; i < more; i++) {
    const line = { type: 'journal', line: { op: 'write', verb: 'add', ids: [`r${i}`], scope } } as const
    await store.commit(transaction({ id: `tx-r${i}`, at: Date.now(), changes: [put({ id: `r${i}`, scope }), line] }))
  }
  await store.close()
  return path
}

async function countOf(schema: string): Promise<number> {
  const { rows } = await admin.query('SELECT to_regclass($1) IS NOT NULL AS there', [`${schema}.transactions`])
  if (rows[0].there !== true) return 0
  return (await admin.query(`SELECT count(*)::int AS count FROM ${schema}.transactions`)).rows[0].count
}

describe.skipIf(url === null)('mneme migrate', { timeout: 120_000 }, () => {
  it('[MIG-9] brings a file to a server, and from there to a new file: equal digests, records, history and counts', async () => {
    const [path, back] = [await richFile(), testFile()]
    await withSchema(async (address) => {
      const there = await answerOf(migrate(`sqlite:${path}`, address))
      expect(there).toMatchObject({ from: path, verified: true, skipped: { erased: 2 } })
      expect(there.to).toMatch(/^postgres at 127\.0\.0\.1:\d+\/mneme, schema /)
      const returned = await answerOf(migrate(address, `sqlite:${back}`))
      // Tombstones of what the file erased stayed behind, so the server has none.
      const { from: _, to: __, skipped: ___, ...same } = there
      expect(returned).toMatchObject({ ...same, skipped: { erased: 0 } })
      expect(await answerOf(migrate(`sqlite:${path}`, `sqlite:${back}`, '--verify-only'))).toMatchObject({
        digest: there.digest,
        copied: { transactions: 0, journal: 0 },
      })
      const stores = [sqlite({ path }), await storeFromSpec(address, {}), sqlite({ path: back })] as const
      for (const store of stores) await store.open()
      const [one, two, three] = stores
      await assertSame(one, two)
      await assertSame(one, three)
      expect(await everythingOf(three)).toMatchObject({ problems: [] })
      for (const store of stores) await store.close()
    })
  })

  it('[MIG-9] killed in the middle it is taken up by the same command, there and back', async () => {
    const path = await richFile(400)
    await withSchema(async (address, schema) => {
      const command = migrate(`sqlite:${path}`, address)
      const { child, ended } = start(command)
      await expect.poll(() => countOf(schema), { timeout: 60_000, interval: 10 }).toBeGreaterThan(30)
      // It waits here, in the middle of a transaction.
      const holder = await admin.connect()
      await holder.query(`BEGIN; LOCK TABLE ${schema}.transactions IN SHARE MODE`)
      const reached = await countOf(schema)
      child.kill('SIGKILL')
      expect(await ended).toMatchObject({ exit: null, signal: 'SIGKILL', out: '' })
      await holder.query('ROLLBACK')
      holder.release()
      // What the server still had of it has ended by then.
      const locks = `SELECT FROM pg_locks WHERE relation = '${schema}.transactions'::regclass`
      await expect.poll(async () => (await admin.query(locks)).rowCount).toBe(0)

      const rest = await answerOf(command)
      const { transactions, copied } = rest as { transactions: number; copied: { transactions: number } }
      // What was on its way may have landed.
      expect(transactions - copied.transactions - reached).toBeOneOf([0, 1])
      expect(copied.transactions).toBeGreaterThan(0)
      const whole = testFile()
      const returned = await answerOf(migrate(address, `sqlite:${whole}`))
      expect(returned).toMatchObject({
        digest: rest.digest,
        transactions,
        records: rest.records,
        journal: rest.journal,
      })
      const [one, two] = [sqlite({ path }), sqlite({ path: whole })]
      for (const store of [one, two]) await store.open()
      await assertSame(one, two)
      for (const store of [one, two]) await store.close()
    })
  })

  it('[MIG-10] says that source and target are one store, by whatever names, and what to do', async () => {
    const path = await richFile()
    const link = testFile()
    await symlink(path, link)
    await withSchema(async (address) => {
      await answerOf(migrate(`sqlite:${path}`, address))
      const elsewhere = new URL(address)
      elsewhere.hostname = 'localhost'
      const pairs: [string, string][] = [
        [`sqlite:${path}`, `sqlite:${path}`],
        [`sqlite:${path}`, `sqlite:./${basename(path)}`],
        [`sqlite:${link}`, `sqlite:${path}`],
        [address, address],
        [address, elsewhere.href],
      ]
      for (const [from, to] of pairs) {
        for (const more of [[], ['--verify-only']]) {
          const { exit, out, err } = await start(migrate(from, to, ...more), dirname(path)).ended
          expect([exit, out]).toEqual([2, ''])
          expect(JSON.parse(err)).toMatchObject({
            error: {
              code: 'INVALID_ARGUMENT',
              message: expect.stringMatching(
                /the same store.*Nothing was written: give another file, schema or server/,
              ),
            },
          })
        }
      }
    })
  })
})
