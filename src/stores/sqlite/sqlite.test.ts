import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, it } from 'vitest'
import { describeConformance } from '../../conformance/index.ts'
import type { MemoryStore } from '../../contract/index.ts'
import { sqlite } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'mneme-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const paths = new WeakMap<MemoryStore, string>()
let count = 0

function fileStore(path: string): MemoryStore {
  const store = sqlite({ path })
  paths.set(store, path)
  return store
}

describeConformance(
  {
    name: 'sqlite (file)',
    durable: true,
    create: () => fileStore(join(folder, `${++count}.db`)),
    openSecond: (first) => fileStore(paths.get(first) as string),
  },
  { describe, it },
)

describeConformance({ name: 'sqlite (:memory:)', create: () => sqlite({ path: ':memory:' }) }, { describe, it })
