import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createClient } from 'redis'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { describeHotTierConformance, hotTierCases } from '../src/conformance/index.ts'
import { allScopes, within } from '../src/model/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { hotRecord } from './fixtures/hot-records.ts'
import { freshName, type PrivateServer, privateServer } from './fixtures/servers.ts'

// Three masters on this machine: keys of an owner lie together, pointers anywhere, and no call asks one node for keys of two.

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Nodes that know each other have one password, and every third of the slots has its node. */
const password = 'one for all nodes'

interface Node {
  readonly port: number
  readonly bus: number
  readonly send: (...args: string[]) => Promise<unknown>
}

async function startNode(): Promise<Node | null> {
  const bus = await freePort()
  const args = `--cluster-enabled yes --cluster-announce-ip 127.0.0.1 --cluster-port ${bus}`
  const server: PrivateServer | null = await privateServer('redis', 'debian', args)
  if (server === null) return null
  const client = createClient({ url: server.url })
  await client.connect()
  await client.configSet('requirepass', password)
  afterAll(() => client.destroy())
  return { port: Number(new URL(server.url).port), bus, send: (...words) => client.sendCommand(words) }
}

async function startCluster(): Promise<{ url: string; nodes: readonly Node[] } | null> {
  const nodes: Node[] = []
  for (let i = 0; i < 3; i++) {
    const node = await startNode()
    if (node === null) return null
    nodes.push(node)
  }
  const slots = ['0 5460', '5461 10922', '10923 16383']
  for (const [i, node] of nodes.entries())
    await node.send('CLUSTER', 'ADDSLOTSRANGE', ...(slots[i] as string).split(' '))
  const [first, ...others] = nodes as [Node, ...Node[]]
  for (const { port, bus } of others) await first.send('CLUSTER', 'MEET', '127.0.0.1', String(port), String(bus))
  const isReady = async ({ send }: Node) =>
    /cluster_state:ok.*cluster_known_nodes:3/s.test(String(await send('CLUSTER', 'INFO')))
  await vi.waitFor(async () => expect(await Promise.all(nodes.map(isReady))).toEqual([true, true, true]), {
    timeout: 30_000,
    interval: 100,
  })
  return { url: `redis://:${encodeURIComponent(password)}@127.0.0.1:${first.port}?cluster=true`, nodes }
}

const cluster = await startCluster()

describe.skipIf(cluster === null)('[RDS-20] a cluster of three masters', () => {
  const { url = '', nodes = [] } = cluster ?? {}
  const prefixes = new WeakMap<object, string>()
  const over = (prefix: string, options: object) => {
    const tier = redis({ url, prefix, commandTimeoutMs: 20_000, connectTimeoutMs: 20_000, ...options })
    prefixes.set(tier, prefix)
    return tier
  }

  describeHotTierConformance(
    {
      name: 'redis (cluster)',
      create: (options) => over(freshName(), options),
      openSecond: (first) => over(prefixes.get(first) as string, {}),
    },
    { describe, it },
    // What waits for time does so on one server.
    hotTierCases.filter(({ options, rule }) => options === undefined && rule !== 'HOT-31'),
  )

  it('[RDS-20] owners lie on several nodes, what is of one owner on one of them', async () => {
    const prefix = freshName()
    const tier = over(prefix, {})
    await tier.open()
    const owners = Array.from({ length: 12 }, (_, i) => `user ${i}`)
    await tier.putIfNewer(
      owners.flatMap((userId) =>
        ['s', 't'].map((sessionId) => ({
          stored: hotRecord({ id: `${userId} ${sessionId}`, scope: { userId, sessionId } }),
        })),
      ),
    )
    const places = new Map<string, Set<number>>()
    for (const [i, { send }] of nodes.entries()) {
      for (const key of (await send('KEYS', `${prefix}:*`)) as string[]) {
        const tag = /\{(.*?)\}/.exec(key)?.[1]
        if (tag !== undefined) places.set(tag, (places.get(tag) ?? new Set()).add(i))
      }
    }
    expect(places.size).toBe(12)
    expect([...places.values()].map(({ size }) => size)).toEqual(owners.map(() => 1))
    expect(new Set([...places.values()].flatMap((where) => [...where])).size).toBe(3)
    expect((await tier.search(within({ userId: 'user 3' }), { limit: 10 })).hits).toHaveLength(2)
    expect((await tier.search(allScopes(), { limit: 100 })).hits).toHaveLength(24)
    await tier.close()
  })
})
