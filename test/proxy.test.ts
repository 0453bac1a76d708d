import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type NetworkProxy, startProxy } from './fixtures/proxy.ts'

/** Whether with an error or without. */
const closing = (socket: Socket) => new Promise((resolve) => socket.on('close', resolve))

describe('a network that fails', () => {
  let server: Server
  let proxy: NetworkProxy
  /** What the server was sent, and whether it was told that no more would come. */
  let arrived: string
  let ended: boolean

  beforeEach(async () => {
    arrived = ''
    ended = false
    server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {})
      socket.on('end', () => {
        ended = true
        socket.end()
      })
      socket.on('data', (data) => {
        arrived += data
        socket.write(`<${data}>`)
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    proxy = await startProxy(`test://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}/path`)
  })

  afterEach(async () => {
    await proxy.close()
    server.close()
  })

  async function client(): Promise<{ socket: Socket; received(): string; says(text: string): Promise<void> }> {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(proxy.url).port), allowHalfOpen: true })
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    await once(socket, 'connect')
    return {
      socket,
      received: () => text,
      async says(wanted) {
        while (text !== wanted) await once(socket, 'data')
      },
    }
  }

  it('[FIX-5] carries both ways under an address of its own', async () => {
    expect(proxy.url).toMatch(/^test:\/\/user:secret@127\.0\.0\.1:\d+\/path$/)
    expect(proxy.url).not.toContain(String((server.address() as AddressInfo).port))
    const { socket, says } = await client()
    socket.write('a')
    await says('<a>')
    socket.write('b')
    await says('<a><b>')
    expect(proxy.connections()).toBe(1)
    socket.end()
    await closing(socket)
    expect(ended).toBe(true)
  })

  it('[FIX-5] delays without changing the order', async () => {
    const { socket } = await client()
    proxy.delay(5)
    for (const letter of 'abcd') socket.write(letter)
    while (!arrived.endsWith('d')) await once(socket, 'data')
    expect(arrived).toBe('abcd')
    // So long that another connection, which does not pass through here, is answered first for sure.
    proxy.delay(1_000_000)
    socket.write('e')
    const direct = connect((server.address() as AddressInfo).port, '127.0.0.1')
    direct.write('x')
    await once(direct, 'data')
    expect(arrived).toBe('abcdx')
    direct.destroy()
  })

  it('[FIX-5] holds what is sent until it is restored', async () => {
    const { socket, received, says } = await client()
    socket.write('a')
    await says('<a>')
    proxy.hold()
    socket.write('b')
    const late = await client()
    late.socket.write('c')
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect([arrived, received(), late.received()]).toEqual(['a', '<a>', ''])
    await proxy.restore()
    await says('<a><b>')
    await late.says('<c>')
  })

  it('[FIX-5] loses an answer to what has arrived', async () => {
    const { socket, received } = await client()
    proxy.cutAfter(0, 'answers')
    socket.write('a')
    await closing(socket)
    expect([arrived, received()]).toEqual(['a', ''])
    await proxy.restore()
    const next = await client()
    next.socket.write('b')
    await next.says('<b>')
  })

  it('[FIX-5] cuts in the middle of a request', async () => {
    const { socket, received } = await client()
    proxy.cutAfter(2, 'requests')
    socket.write('abcd')
    await closing(socket)
    expect(['', 'ab']).toContain(arrived)
    expect(['', '<ab>']).toContain(received())
  })

  it('[FIX-5] cuts all connections, and lets new ones in', async () => {
    const { socket } = await client()
    const closed = closing(socket)
    socket.write('a')
    await once(socket, 'data')
    proxy.cut()
    await closed
    expect(proxy.connections()).toBe(0)
    const next = await client()
    next.socket.write('b')
    await next.says('<b>')
  })

  it('[FIX-5] ends one direction alone', async () => {
    const { socket, received, says } = await client()
    socket.write('a')
    await says('<a>')
    const told = once(socket, 'end')
    proxy.halfClose()
    await told
    socket.write('b')
    while (arrived !== 'ab') await new Promise((resolve) => setTimeout(resolve, 1))
    expect(received()).toBe('<a>')
  })

  it('[FIX-5] refuses connections until it is restored', async () => {
    const { socket } = await client()
    const closed = closing(socket)
    await proxy.refuse()
    await closed
    await expect(client()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await proxy.restore()
    const next = await client()
    next.socket.write('a')
    await next.says('<a>')
  })
})
