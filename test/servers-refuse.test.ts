import { once as emitted } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MnemeError } from '../src/errors/index.ts'
import { bolt } from '../src/stores/bolt/index.ts'
import { backendFailure } from '../src/stores/postgres/failure.ts'
import { postgres } from '../src/stores/postgres/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { startProxy } from './fixtures/proxy.ts'
import { boltUrl, freshName, postgresUrl, redisUrl } from './fixtures/servers.ts'
import { startTlsFront } from './fixtures/tls-front.ts'

// What real servers refuse, and why they can't be reached, is told alike by all that speak to one: what to do, and never an address.

interface Target {
  readonly name: string
  readonly url: string | null
  /** Asks the server for something; rejects as a store does that is not let in. Gives up within the time. */
  ask(url: string, timeoutMs?: number): Promise<unknown>
  readonly noDatabase: string
  /** The address with TLS, whose certificates are checked. */
  secure(url: string): string
  /** What is said where the server has no TLS, and where it may want it. */
  readonly noTls: RegExp
  readonly wantsTls: RegExp
}

async function once<S extends { close(): Promise<void> }>(store: S, work: (store: S) => Promise<unknown>) {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const targets: readonly Target[] = [
  {
    name: 'postgres',
    url: await postgresUrl(),
    ask: (url, timeoutMs) => once(postgres({ url, schema: freshName(), timeoutMs }), (store) => store.open()),
    noDatabase: 'hunter2',
    secure: (url) => `${url}?sslmode=verify-full`,
    noTls: /takes no encrypted connections.*sslmode=disable/,
    wantsTls: /could not be reached/,
  },
  {
    name: 'bolt',
    url: await boltUrl(),
    ask: (url, connectTimeoutMs) =>
      once(bolt({ url, namespace: freshName(), connectTimeoutMs }), (store) => store.open()),
    noDatabase: 'hunter2',
    secure: (url) => url.replace(/^\w+:/, 'bolt+s:'),
    noTls: /does not answer by TLS.*without \+s/,
    wantsTls: /closed the connection\. If it wants TLS, write bolt\+s/,
  },
  {
    name: 'redis',
    url: await redisUrl(),
    ask: (url, ms) =>
      once(redis({ url, prefix: freshName(), connectTimeoutMs: ms, commandTimeoutMs: ms }), async (tier) => {
        await tier.open()
        await tier.flushEpoch()
      }),
    noDatabase: '9999',
    secure: (url) => url.replace(/^\w+:/, 'rediss:'),
    noTls: /not answer in time\. If it has no TLS, write redis:/,
    wantsTls: /closed the connection\. If it wants TLS, write rediss:/,
  },
]

afterEach(() => vi.unstubAllEnvs())

describe.each(targets)('$name', ({ url, ask, noDatabase, secure, noTls, wantsTls }) => {
  const at = (change: (address: URL) => void): string => {
    const address = new URL(url as string)
    change(address)
    return address.href
  }

  async function refusal(address: string, timeoutMs?: number): Promise<MnemeError> {
    for (const name of ['PGPASSWORD', 'MNEME_BOLT_USER', 'MNEME_BOLT_PASSWORD']) vi.stubEnv(name, undefined)
    const error: unknown = await ask(address, timeoutMs).then(
      () => expect.unreachable('the server should not have let it in'),
      (reason: unknown) => reason,
    )
    if (!MnemeError.is(error)) throw error
    const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`
    const { password, hostname } = new URL(address)
    for (const hidden of ['hunter2', password, hostname]) if (hidden !== '') expect(shown).not.toContain(hidden)
    return error
  }

  it.skipIf(url === null)(
    '[SRV-19] a user, password or database that the server refuses is BAD_CONFIG and says what to do',
    async () => {
      const changes: readonly (readonly [words: RegExp, change: (address: URL) => void])[] = [
        [/refuses this user or password.*Check/, (address) => (address.password = 'hunter2')],
        [/refuses this user or password.*Check/, (address) => (address.username = 'hunter2')],
        [/wants a password.*Put it|refuses this user or password.*Check/, (address) => (address.password = '')],
        [/no (?:such )?database.*check/i, (address) => (address.pathname = noDatabase)],
      ]
      for (const [words, change] of changes) {
        const { code, message, retryable } = await refusal(at(change))
        expect([code, retryable, message]).toEqual(['BAD_CONFIG', false, expect.stringMatching(words)])
      }
    },
  )

  it.skipIf(url === null)('[SRV-20] an error of a server that can not be reached says why', async () => {
    const refused = await refusal(at((address) => (address.port = '1')))
    expect([refused.code, refused.message]).toEqual(['BACKEND_UNAVAILABLE', expect.stringMatching(/nobody listens at/)])
    const unknown = await refusal(at((address) => (address.hostname = 'nowhere.invalid')))
    expect([unknown.code, unknown.message]).toEqual([
      'BACKEND_UNAVAILABLE',
      expect.stringMatching(/host of the URL was not found/),
    ])
    const proxy = await startProxy(url as string)
    proxy.hold()
    const silent = await refusal(proxy.url, 300)
    await proxy.close()
    expect(silent.code).toMatch(/^BACKEND_(?:UNAVAILABLE|TIMEOUT)$/)
    expect(silent.message).toMatch(/not answer (?:in time|within)/)
  })

  it.skipIf(url === null)(
    '[SRV-22] a certificate that is not trusted, no TLS, and TLS that is wanted are told',
    async () => {
      const front = await startTlsFront(url as string)
      const mistrusted = await refusal(secure(front.url))
      expect([mistrusted.code, mistrusted.message]).toEqual([
        'BAD_CONFIG',
        expect.stringMatching(/certificate of the server is not trusted here\..* NODE_EXTRA_CA_CERTS\. \w+/),
      ])
      const wanted = await refusal(front.url)
      expect([wanted.code, wanted.message]).toEqual(['BACKEND_UNAVAILABLE', expect.stringMatching(wantsTls)])
      await front.close()
      expect((await refusal(secure(url as string))).message).toMatch(noTls)
    },
  )
})

it.skipIf(targets.some(({ name, url }) => name === 'redis' && url === null))(
  '[SRV-22] a certificate for another host is told without that',
  async () => {
    const front = await startTlsFront(targets.find(({ name }) => name === 'redis')?.url as string, 'db.example.com')
    const { port } = new URL(front.url)
    const trusting = connect({ host: '127.0.0.1', port: Number(port), ca: front.ca })
    const [error] = (await emitted(trusting, 'error')) as [Error]
    trusting.destroy()
    expect(error.message).toContain('127.0.0.1')
    const tier = redis({ url: front.url.replace('redis:', 'rediss:'), client: { socket: { ca: front.ca } } })
    await tier.open()
    const told: unknown[] = [backendFailure('open', error), await tier.flushEpoch().catch((reason: unknown) => reason)]
    await tier.close()
    await front.close()
    for (const each of told) {
      expect(each).toMatchObject({ code: 'BAD_CONFIG', message: expect.stringMatching(/is for another host.*\. \w+/) })
      expect(`${JSON.stringify(each)} ${(each as Error).stack} ${String((each as Error).cause)}`).not.toMatch(
        /example|127\.0/,
      )
    }
  },
)

it('[SRV-20] what speaks HTTP where Bolt is looked for is told as such', async () => {
  const server = createServer((_, response) => response.end())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const store = bolt({ url: `bolt://ann:hunter2@127.0.0.1:${port}` })
  await expect(store.open()).rejects.toMatchObject({
    code: 'BAD_CONFIG',
    message: expect.stringMatching(/HTTP.*7687/),
  })
  server.close()
})
