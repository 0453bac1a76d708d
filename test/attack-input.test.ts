import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MnemeError } from '../src/errors/index.ts'
import { type MemoryEngine, openMemory } from '../src/index.ts'

describe('hostile input', () => {
  let memory: MemoryEngine
  beforeEach(async () => {
    memory = await openMemory({ path: ':memory:', scope: { userId: 'ann' }, embedder: false })
    await memory.addMany(Array.from({ length: 12 }, (_, i) => `cello ${i}`))
  })
  afterEach(() => memory.close())

  const refusal = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => null,
      (reason: unknown) => reason,
    )
    return MnemeError.is(error) ? error.code : error
  }

  /** The cursor with each of some bytes changed, cut, lengthened, and what is none at all. */
  const forged = (cursor: string) => {
    const bytes = Buffer.from(cursor, 'base64url')
    const changed = [0, 12, Math.floor(bytes.length / 2), bytes.length - 1].map((place) => {
      const copy = Buffer.from(bytes)
      copy[place] = (copy[place] as number) ^ 1
      return copy
    })
    const plain = Buffer.from(JSON.stringify(['changes', { after: null, skip: -1, width: -1, offset: -3 }]))
    const others = [bytes.subarray(0, 8), bytes.subarray(1), Buffer.concat([bytes, bytes]), plain]
    return [...[...changed, ...others].map((one) => one.toString('base64url')), 'x', '%00', 'null']
  }

  it('[CHG-3] A cursor of changes that the store did not make is INVALID_CURSOR.', async () => {
    const { cursor } = await memory.changes({ limit: 5 })
    for (const after of forged(cursor)) expect(await refusal(memory.changes({ after }))).toBe('INVALID_CURSOR')
  })

  it('[RED-25] A cursor of a list that the store did not make is INVALID_CURSOR.', async () => {
    const { nextCursor } = await memory.list({ limit: 5 })
    for (const cursor of forged(nextCursor as string)) {
      expect(await refusal(memory.list({ limit: 5, cursor }))).toBe('INVALID_CURSOR')
    }
  })

  it('[SEA-35] A cursor of a search that the store did not make, or of another call, is INVALID_CURSOR.', async () => {
    const { nextCursor } = await memory.search('cello', { limit: 5 })
    const listed = await memory.list({ limit: 5 })
    const other = await openMemory({ path: ':memory:', scope: { userId: 'ann' }, embedder: false })
    await other.addMany(Array.from({ length: 12 }, (_, i) => `cello ${i}`))
    const foreign = (await other.search('cello', { limit: 5 })).nextCursor as string
    await other.close()
    for (const cursor of [...forged(nextCursor as string), listed.nextCursor as string, foreign]) {
      expect(await refusal(memory.search('cello', { limit: 5, cursor }))).toBe('INVALID_CURSOR')
    }
    expect(await refusal(memory.search('cello', { limit: 5, cursor: nextCursor }))).toBeNull()
  })

  it('[SCO-14] A cursor shows nothing of what is written where: equal places have equal cursors, sealed.', async () => {
    const { cursor } = await memory.changes({ limit: 5 })
    expect((await memory.changes({ limit: 5 })).cursor).toBe(cursor)
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('after')
  })

  it('[FLT-14] A list refuses a filter that is not JSON like a search does.', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    let deep: Record<string, unknown> = { a: 1 }
    for (let i = 0; i < 20_000; i++) deep = { NOT: deep }
    for (const filter of [{ a: 1n }, { a: { eq: cycle } }, deep])
      expect(await refusal(memory.list({ filter }))).toBe('INVALID_FILTER')
  })

  it('[JSN-4] Only the items of an array count: a toJSON of its own does not change or break a copy.', async () => {
    const data = Object.assign([1], { toJSON: () => undefined })
    const outcome = await memory.add({ content: 'x', data: data as never }).then(
      ({ record }) => record.data,
      (error: unknown) => (MnemeError.is(error) ? error.code : error),
    )
    expect([[1], 'INVALID_RECORD']).toContainEqual(outcome)
  })

  it('[ERR-2] A file that can not be written by exportToFile is an error of mneme.', async () => {
    expect(await refusal(memory.exportToFile('/dev/null/x'))).toEqual(expect.any(String))
  })

  it('[REC-15] What throws when it is looked at is bad input.', async () => {
    const trap = () =>
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new TypeError('secret-marker')
          },
          get: () => {
            throw new TypeError('secret-marker')
          },
        },
      )
    const calls = [
      () => memory.add({ content: 'x', metadata: trap() }),
      () => memory.list({ filter: trap() }),
      () => memory.search('x', { scope: trap() as never }),
      () => memory.add('x', trap()),
      () => memory.update('x', trap()),
    ]
    for (const call of calls) {
      const error = await call().then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(MnemeError.is(error)).toBe(true)
      expect(String(error)).not.toContain('secret-marker')
    }
  })

  it('[SEA-36] Of a query the first 32,768 characters and the first 256 distinct terms are read.', async () => {
    const words = (from: number, count: number) => Array.from({ length: count }, (_, i) => `word${from + i}`).join(' ')
    const { record } = await memory.add('word300 alone')
    expect((await memory.search(words(100, 250))).results.map(({ id }) => id)).toEqual([record.id])
    expect((await memory.search(words(0, 1000))).results).toEqual([])
    expect((await memory.search(`${' '.repeat(32_768)}word300`)).results).toEqual([])
  })
})
