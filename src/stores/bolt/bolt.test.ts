import { describe, it, vi } from 'vitest'
import { boltUrl, freshName } from '../../../test/fixtures/servers.ts'
import { describeConformance, type HeldCommit } from '../../conformance/index.ts'
import type { CommitResult, MemoryStore, Transaction } from '../../contract/index.ts'
import { commitIn, ensureOwners } from './commit.ts'
import { bolt } from './index.ts'
import { ownersOfTransaction } from './load.ts'
import { openSession } from './open.ts'
import { checkOptions } from './options.ts'

// Of one transaction after the other on a server that has just started, with everything else on the same two cores.
vi.setConfig({ testTimeout: 180_000 })

const url = await boltUrl()
const namespaces = new WeakMap<MemoryStore, string>()

function storeIn(namespace: string): MemoryStore {
  const store = bolt({ url: url as string, namespace })
  namespaces.set(store, namespace)
  return store
}

/** Writes everything, and commits when it is let go. */
async function holdCommit(store: MemoryStore, transaction: Transaction): Promise<HeldCommit> {
  const call = { operation: 'commit' }
  const options = { url: url as string, namespace: namespaces.get(store) as string }
  const session = await openSession(checkOptions(options, {}), call)
  const owners = new Set(ownersOfTransaction(transaction, session))
  await ensureOwners(session, call, transaction)
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let done: Promise<CommitResult> | undefined
  await new Promise<void>((resolve, reject) => {
    done = session.connection.transact(call, async (run) => {
      const { result } = await commitIn(session, run, transaction, owners)
      resolve()
      await released
      return result
    })
    done.catch(reject)
  })
  return {
    async release() {
      release()
      try {
        return await (done as Promise<CommitResult>)
      } finally {
        await session.connection.close()
      }
    },
  }
}

describe.skipIf(url === null)('bolt', () => {
  describeConformance(
    {
      name: 'bolt (Neo4j)',
      durable: true,
      facets: ['graph'],
      create: () => storeIn(freshName()),
      openSecond: (first) => storeIn(namespaces.get(first) as string),
      holdCommit,
    },
    { describe, it },
  )
})
