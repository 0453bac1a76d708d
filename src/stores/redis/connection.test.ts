import { afterEach, expect, it, vi } from 'vitest'
import { openConnection } from './connection.ts'
import type { Client, Command } from './driver.ts'
import { checkOptions } from './options.ts'

const driver = vi.hoisted(() => ({ connect: async (): Promise<Client> => Promise.reject(new Error('not set')) }))

vi.mock('./driver.ts', async (actual) => ({
  ...(await actual<typeof import('./driver.ts')>()),
  loadDriver: async () => () => driver.connect(),
}))

afterEach(() => {
  vi.useRealTimers()
})

it('[RDS-11] a node of a cluster that is silent is given up, though the others answer all the time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
  const command = (key: string): Command => ({ key, args: ['GET', key] })
  let connects = 0
  driver.connect = async () => {
    const isFirst = ++connects === 1
    return {
      run: '',
      send: ({ key }) => (key === 'silent' && isFirst ? new Promise(() => undefined) : Promise.resolve('answer')),
      close: async () => undefined,
      destroy: () => undefined,
    }
  }
  const options = checkOptions({ url: 'redis://127.0.0.1:1', cluster: true, commandTimeoutMs: 100 })
  const connection = await openConnection(options)
  let outcome: unknown = null
  connection.all('get', [command('silent')]).catch((error: unknown) => {
    outcome = error
  })
  for (let spent = 0; outcome === null && spent < 60_000; spent += 50) {
    await connection.all('get', [command('other')])
    await vi.advanceTimersByTimeAsync(50)
  }
  expect(outcome).toMatchObject({ code: 'BACKEND_TIMEOUT', details: { failure: 'TIMEOUT' } })
  expect(await connection.all('get', [command('silent')])).toEqual(['answer'])
  await connection.close()
})
