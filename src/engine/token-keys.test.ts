import { expect, it } from 'vitest'
import { BackendError } from '../errors/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { openMemory } from './index.ts'
import { openTokenKeys } from './token-keys.ts'

const away = () => new BackendError({ code: 'BACKEND_UNAVAILABLE', message: 'nobody answers' })

it('[LIF-15] the key of cursors is asked for again, and what was sealed meanwhile is still known', async () => {
  const own = new Uint8Array(32).fill(7)
  let isAway = true
  const secret = async () => {
    if (isAway) throw away()
    return own
  }
  const keys = await openTokenKeys(secret, true, 0)
  const meanwhile = keys.current
  expect(keys.all).toEqual([meanwhile])
  isAway = false
  keys.current
  await new Promise(setImmediate)
  const fixed = await openTokenKeys(secret, false)
  expect(keys.current).toEqual(fixed.current)
  expect(keys.current).not.toEqual(meanwhile)
  expect(keys.all).toEqual([fixed.current, meanwhile])
  isAway = true
  await expect(openTokenKeys(secret, false)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  expect(keys.current).toEqual(fixed.current)
})

it('[LIF-15] a store that answers in part can be opened, and pages through what it has', async () => {
  const inner = memoryStore()
  const secret = async () => {
    throw away()
  }
  const open = (more: object) =>
    openMemory({ store: { ...inner, secret, ...more }, scope: { userId: 'ann' }, embedder: false })
  const memory = await open({ health: async () => ({ status: 'degraded', tiers: [] }) })
  await memory.addMany(['one', 'two', 'three'])
  const first = await memory.list({ limit: 2, order: 'oldest' })
  const { records } = await memory.list({ limit: 2, order: 'oldest', cursor: first.nextCursor })
  expect(records.map(({ content }) => content)).toEqual(['three'])
  await memory.close()
  // One that is whole or fails can't be opened then.
  await expect((await open({})).list()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
})
