import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, it } from 'vitest'
import { describeConformance } from '../src/conformance/index.ts'
import type { MemoryStore } from '../src/contract/index.ts'
import { type DatabaseClass, sqlite } from '../src/stores/sqlite/index.ts'

/** An optional driver that users pass in; named by its file where it is installed elsewhere. */
const name = process.env.MNEME_BETTER_SQLITE3 ?? 'better-sqlite3'

async function load(): Promise<DatabaseClass | null> {
  try {
    return ((await import(name)) as { default: DatabaseClass }).default
  } catch {
    return null
  }
}

const driver = await load()

if (driver === null) {
  describe.skip('conformance of sqlite with better-sqlite3, which is not installed here', () => {
    it('[SQL-1] keeps the contract with better-sqlite3', () => {})
  })
} else {
  const folder = mkdtempSync(join(tmpdir(), 'mneme-better-sqlite3-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const paths = new WeakMap<MemoryStore, string>()
  let count = 0
  const open = (path: string) => {
    const store = sqlite({ path, driver })
    paths.set(store, path)
    return store
  }
  describeConformance(
    {
      name: 'sqlite (better-sqlite3)',
      durable: true,
      create: () => open(join(folder, `${++count}.db`)),
      openSecond: (first) => open(paths.get(first) as string),
    },
    { describe, it },
  )
}
