import { describe, it } from 'vitest'
import { freshName, redisUrl } from '../../../test/fixtures/servers.ts'
import { testFile } from '../../../test/fixtures/stores.ts'
import { describeConformance } from '../../conformance/index.ts'
import type { MemoryStore } from '../../contract/index.ts'
import { redis } from '../redis/index.ts'
import { sqlite } from '../sqlite/index.ts'
import { tiered } from './index.ts'

const url = await redisUrl()

describe.skipIf(url === null)('tiered', () => {
  const parts = new WeakMap<MemoryStore, { readonly path: string; readonly prefix: string }>()

  const knownGaps = [{ rule: 'STO-LNK-3', reason: 'a link to what a session has staged makes a record of that first' }]
  for (const mode of ['write-through', 'session'] as const) {
    const make = (path: string, prefix: string): MemoryStore => {
      const store = tiered({ hot: redis({ url: url ?? '', prefix }), cold: sqlite({ path }), mode })
      parts.set(store, { path, prefix })
      return store
    }
    describeConformance(
      {
        name: `tiered, ${mode} (redis over sqlite)`,
        durable: true,
        create: () => make(testFile(), freshName()),
        openSecond(first) {
          const { path, prefix } = parts.get(first) as { path: string; prefix: string }
          return make(path, prefix)
        },
        knownGaps: mode === 'session' ? knownGaps : [],
      },
      { describe, it },
    )
  }
})
