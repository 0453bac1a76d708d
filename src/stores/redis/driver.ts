import { SetupError } from '../../errors/index.ts'
import { timedOut } from './failure.ts'
import type { CheckedOptions } from './options.ts'

export type Argument = string | Buffer

/** What a server answers; strings come as bytes. */
export type Reply = null | number | string | Buffer | readonly Reply[]

export interface Command {
  /** Tells the node in a cluster. */
  readonly key: string
  readonly args: readonly Argument[]
  /** What to send when the server does not know the script that the other names. */
  readonly unknownScript?: readonly Argument[] | undefined
}

/** A connected client of either form. */
export interface Client {
  send(command: Command): Promise<Reply>
  /** Changes with every start of a server behind it: what a server had before its start is no longer to be relied on. */
  readonly run: string
  /** Waits for what was sent. */
  close(): Promise<void>
  /** Gives up what was sent. */
  destroy(): void
}

async function loadPackage(): Promise<typeof import('redis')> {
  try {
    return await import('redis')
  } catch (cause) {
    throw new SetupError({
      code: 'DRIVER_MISSING',
      message: 'redis hot tier: it needs the package redis. Install it: npm install redis',
      details: { package: 'redis' },
      cause,
    })
  }
}

/** The server's own name for its present run; empty where it does not say. */
function runOf(info: unknown): string {
  return /run_id:([0-9a-f]{1,16})/.exec(String(info))?.[1] ?? ''
}

/** Gives up a client, whatever its state. */
export function discard(client: { destroy(): void }): void {
  try {
    client.destroy()
  } catch {
    // It was closed already.
  }
}

/** Connects within a time: a server that takes the connection and says nothing is as good as none. */
async function started(
  client: { destroy(): void },
  milliseconds: number,
  connect: () => Promise<Client>,
): Promise<Client> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut('connect', milliseconds)), milliseconds)
  })
  try {
    return await Promise.race([connect(), tooLate])
  } catch (error) {
    discard(client)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Loads the package; connecting is another step. @throws SetupError DRIVER_MISSING */
export async function loadDriver(options: CheckedOptions): Promise<(onLost: () => void) => Promise<Client>> {
  const { createClient, createCluster, RESP_TYPES } = await loadPackage()
  const { url, connectTimeoutMs, client: given } = options
  const deadline = connectTimeoutMs + options.commandTimeoutMs
  const bytes = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } }
  const makeShared = () => ({
    ...given,
    socket: { ...(given.socket as object | undefined), connectTimeout: connectTimeoutMs, reconnectStrategy: false },
    disableOfflineQueue: true,
    // It would tell the server the client's name by a command of Redis 7.2.
    disableClientInfo: true,
  })

  async function connectOne(onLost: () => void): Promise<Client> {
    const client = createClient({ ...makeShared(), url } as Parameters<typeof createClient>[0])
    // Every failure reaches the command that waits for it; without a listener it would end the process.
    client.on('error', onLost)
    return started(client, deadline, async () => {
      await client.connect()
      return {
        run: runOf(await client.sendCommand(['INFO', 'server'])),
        send: ({ args }) => client.sendCommand([...args], bytes) as Promise<Reply>,
        close: () => client.close(),
        destroy: () => client.destroy(),
      }
    })
  }

  async function connectCluster(): Promise<Client> {
    const { protocol, username, password } = new URL(url)
    const shared = makeShared()
    const cluster = createCluster({
      rootNodes: [{ url }],
      // Nodes that are learnt come without user, password and TLS.
      defaults: {
        ...shared,
        socket: protocol === 'rediss:' ? { ...shared.socket, tls: true } : shared.socket,
        ...(username === '' ? {} : { username: decodeURIComponent(username) }),
        ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      },
    } as Parameters<typeof createCluster>[0])
    // One node that fails is no end of the others: the calls that need it fail, and begin anew.
    cluster.on('error', () => undefined)
    return started(cluster, deadline, async () => {
      await cluster.connect()
      const clients = await Promise.all(cluster.masters.map((node) => cluster.nodeClient(node)))
      const runs = await Promise.all(clients.map(async (node) => runOf(await node.sendCommand(['INFO', 'server']))))
      return {
        run: runs.sort().join(' '),
        send: ({ key, args }) => cluster.sendCommand(key, false, [...args], bytes) as Promise<Reply>,
        close: () => cluster.close(),
        destroy: () => cluster.destroy(),
      }
    })
  }

  return options.cluster ? connectCluster : connectOne
}
