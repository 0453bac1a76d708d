import { describe, expect, it, vi } from 'vitest'
import { boltUrl, freshName } from '../../../test/fixtures/servers.ts'
import { describeConformance, type HeldCommit } from '../../conformance/index.ts'
import type { CommitResult, MemoryStore, Transaction } from '../../contract/index.ts'
import { hashing } from '../../embedders/hashing/index.ts'
import { openMemory } from '../../engine/index.ts'
import { put, transaction } from '../../testing/index.ts'
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

  it('[BLT-6] words and vectors are indexed for people’s own queries, and records and links are nodes and relations', async () => {
    const namespace = freshName()
    const store = storeIn(namespace)
    await store.open()
    const word = `word${namespace.replace('_', 'x')}`
    const scope = { userId: namespace }
    const vector = { space: 'test', values: Float32Array.from({ length: 5 }, (_, i) => (i === 0 ? 1 : 0)) }
    const link = { from: 'a', to: 'b', type: 'about', weight: 0.5, metadata: {} }
    await store.commit(
      transaction({
        id: 't',
        at: 1,
        changes: [
          put({ id: 'a', scope, content: `A ${word}.`, tags: ['t'] }, { vector }),
          put({ id: 'b', scope }),
          { type: 'link', link },
        ],
      }),
    )
    // Closing waits for indexes that are being made.
    await store.close()
    const session = await openSession(checkOptions({ url: url as string, namespace }, {}), { operation: 'test' })
    const ask = (text: string, parameters = {}) =>
      session.connection.transact({ operation: 'test' }, (run) => run(text, parameters))
    try {
      await ask('CALL db.awaitIndexes(60)')
      const byWord = `CALL db.index.fulltext.queryNodes('mneme_memory_content', $word) YIELD node RETURN node.id AS id`
      // Words are indexed a moment after a commit.
      let found = await ask(byWord, { word })
      while (found.length === 0) found = await ask(byWord, { word })
      expect(found).toEqual([{ id: 'a' }])
      const near = await ask(
        `CALL db.index.vector.queryNodes('mneme_memory_vector_5', 100, $vector) YIELD node WHERE node.userId = $user RETURN node.id AS id`,
        { vector: [...vector.values], user: namespace },
      )
      expect(near).toEqual([{ id: 'a' }])
      const linked = await ask(
        `MATCH (a:Memory {userId: $user})-[l:LINK {type: 'about'}]->(b:Memory) WHERE 't' IN a.tags RETURN a.id AS a, l.weight AS weight, b.id AS b`,
        { user: namespace },
      )
      expect(linked).toEqual([{ a: 'a', weight: 0.5, b: 'b' }])
    } finally {
      await session.connection.close()
    }
  })

  it('[BLT-7] an engine shows the same neighbours and paths as without walks by the server', async () => {
    const namespace = freshName()
    const store = storeIn(namespace)
    const { graph, ...plain } = storeIn(namespace)
    expect(graph).toBeDefined()
    const scope = { userId: 'ann' }
    const engine = await openMemory({ store, embedder: hashing({ dimensions: 16 }), scope })
    const other = await openMemory({ store: plain, embedder: hashing({ dimensions: 16 }), scope })
    const added = await engine.addMany(Array.from({ length: 14 }, (_, i) => `Note ${i}`))
    const ids = added.results.map(({ record }) => record.id)
    let state = 7
    const pick = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    for (let i = 0; i < 26; i++) {
      const [from, to] = [ids[pick(14)] as string, ids[pick(14)] as string]
      if (from !== to) await engine.link(from, to, { type: ['x', 'y'][pick(2)] as string, weight: (1 + pick(4)) / 4 })
    }
    await engine.delete(ids[3] as string)
    for (const options of [{ depth: 1 }, { depth: 3, limit: 4 }, { depth: 5, types: ['x'] }]) {
      expect(await engine.neighbors(ids[0] as string, options)).toEqual(
        await other.neighbors(ids[0] as string, options),
      )
    }
    for (const [from, to] of [
      [0, 9],
      [1, 12],
      [5, 7],
    ] as const) {
      const ends = [ids[from] as string, ids[to] as string] as const
      expect(await engine.paths(...ends, { depth: 5 })).toEqual(await other.paths(...ends, { depth: 5 }))
    }
    await other.close()
    await engine.close()
  })
})
