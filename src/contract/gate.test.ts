import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createGate } from './gate.ts'

/** A gate before something that says what becomes of it, and may be told to fail. */
function guarded() {
  const gate = createGate<number>('some')
  const log: string[] = []
  let opened = 0
  const fails = { open: false, close: false }
  const open = (signal?: AbortSignal) =>
    gate.open({ signal }, async () => {
      await turn()
      signal?.throwIfAborted()
      if (fails.open) throw new Error('not opened')
      log.push(`opened ${++opened}`)
      return opened
    })
  const close = () =>
    gate.close(async (session) => {
      await turn()
      if (fails.close) throw new Error('not closed')
      log.push(`closed ${session}`)
    })
  return { log, fails, open, close, ask: () => gate.run({}, async (session) => session), run: gate.run }
}

const closed = { code: 'ENGINE_CLOSED' }

it('[STO-OPN-3] close waits for the calls in hand and lets none in', async () => {
  const { log, open, close, ask, run } = guarded()
  await open()
  let answer = (): void => {}
  const inHand = run({}, () => new Promise<void>((resolve) => (answer = resolve)))
  await turn()
  const closes = Promise.all([close(), close()])
  await expect(ask()).rejects.toMatchObject(closed)
  expect(log).toEqual(['opened 1'])
  answer()
  await closes
  await inHand
  expect(log).toEqual(['opened 1', 'closed 1'])
})

it('[STO-OPN-7] opening while it closes opens it again after that, whatever became of the close', async () => {
  const { log, fails, open, close, ask } = guarded()
  await open()
  const first = [close(), open(), ask(), open()]
  const second = [close(), open(), ask()]
  const answers = await Promise.all([...first, ...second])
  expect([answers[2], answers[6]]).toEqual([2, 3])
  expect(log).toEqual(['opened 1', 'closed 1', 'opened 2', 'closed 2', 'opened 3'])
  fails.close = true
  const failed = close()
  const again = open()
  await Promise.all([expect(failed).rejects.toThrow('not closed'), again])
  expect(await ask()).toBe(4)
})

it('[STO-OPN-2] closing twice is closing once: everybody hears how that ended, until it is open again', async () => {
  const { log, fails, open, close, ask } = guarded()
  await close()
  await open()
  fails.close = true
  const [first, second] = [close(), close()]
  await Promise.all([first, second].map((each) => expect(each).rejects.toThrow('not closed')))
  await expect(ask()).rejects.toMatchObject(closed)
  fails.close = false
  await expect(close()).rejects.toThrow('not closed')
  await open()
  await close()
  await close()
  expect(log).toEqual(['opened 1', 'opened 2', 'closed 2'])
})

it('[STO-OPN-7] an opening that failed, or was given up, fails the calls that wait for it and can be repeated', async () => {
  const { fails, open, close, ask } = guarded()
  fails.open = true
  const failed = [open(), ask(), open()]
  await Promise.all(failed.map((each) => expect(each).rejects.toThrow('not opened')))
  await expect(ask()).rejects.toMatchObject(closed)
  await Promise.all([expect(open()).rejects.toThrow('not opened'), close()])
  fails.open = false
  const stop = new AbortController()
  const given = open(stop.signal)
  stop.abort(new Error('given up'))
  await expect(given).rejects.toThrow('given up')
  await expect(open(stop.signal)).rejects.toThrow('given up')
  await open()
  expect(await ask()).toBe(1)
})
