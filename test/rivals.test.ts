import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashing } from '../src/embedders/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { ann, contents, found, listed, open, storeKinds, temporaryFolder } from './fixtures/reference-stores.ts'

/** Short inputs on which systems of today give a wrong result, with the right one. */
describe.each(storeKinds)('what others get wrong, on $name', ({ create }) => {
  const fresh = () => open({ store: create()() })

  async function thirty() {
    const memory = await fresh()
    await memory.addMany(Array.from({ length: 30 }, (_, n) => ({ content: `number ${n}`, metadata: { n } })))
    return memory
  }

  it('[FLT-6] two bounds on one field give exactly what lies between them', async () => {
    const memory = await thirty()
    const expected = ['number 5', 'number 6', 'number 7']
    expect(await listed(memory, { filter: { n: { gte: 5, lte: 7 } } })).toEqual(expected)
    expect(await listed(memory, { filter: { AND: [{ n: { gte: 5 } }, { n: { lte: 7 } }] } })).toEqual(expected)
    expect(await listed(memory, { filter: { OR: [{ AND: [{ n: { gte: 5 } }, { n: { lte: 7 } }] }] } })).toEqual(
      expected,
    )
    const hits = await found(memory, 'number', { filter: { n: { gte: 5, lte: 7 } } })
    expect(hits.sort()).toEqual(expected)
  })

  it('[FLT-7] an unknown operator is an error that names it, not an empty result', async () => {
    const memory = await thirty()
    for (const [operator, operand] of [
      ['between', [5, 7]],
      ['$regex', '^5'],
    ] as const) {
      const filter = { n: { [operator]: operand } }
      const wanted = expect.objectContaining({ code: 'INVALID_FILTER', message: expect.stringContaining(operator) })
      await expect(memory.list({ filter })).rejects.toThrowError(wanted)
      await expect(memory.search('number', { filter })).rejects.toThrowError(wanted)
      await expect(memory.deleteMany({ filter })).rejects.toThrowError(wanted)
    }
    expect((await memory.stats()).total).toBe(30)
  })

  it('[FLT-9] options and filters that calls share are not touched by any of them', async () => {
    const memory = await fresh()
    const deepFrozen = <T extends object>(value: T): T => {
      for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFrozen(inner)
      return Object.freeze(value)
    }
    const options = deepFrozen({ scope: { userId: 'bob', namespace: ['a'] } })
    const filters = deepFrozen({ filter: { AND: [{ topic: { in: ['tea'] } }] }, kinds: ['semantic'] })
    const given = deepFrozen({ content: 'Bob drinks tea', metadata: { topic: 'tea' }, tags: ['drink'] })
    const before = JSON.stringify([options, filters, given])
    await memory.add(given, options)
    await memory.addMany([given], options)
    await memory.list({ ...filters, ...options })
    expect(await found(memory, 'tea', { ...filters, ...options })).toEqual(['Bob drinks tea'])
    expect(JSON.stringify([options, filters, given])).toBe(before)
  })

  it('[SCO-4] a user may be called Jane Doe', async () => {
    const memory = await fresh()
    for (const userId of ['Jane Doe', "O'Brien; --", '%', 'jane_doe', '記憶 100%']) {
      await memory.add(`the note of ${userId}`, { scope: { userId } })
      expect(await listed(memory, { scope: { userId } })).toEqual([`the note of ${userId}`])
      expect(await found(memory, 'note', { scope: { userId } })).toEqual([`the note of ${userId}`])
    }
  })

  it('[WRT-20] the same text twice is one record, and the second call says so', async () => {
    const memory = await fresh()
    const first = await memory.add('Ann plays the cello')
    const second = await memory.add('Ann plays the cello')
    expect([first.outcome, second.outcome]).toEqual(['added', 'duplicate'])
    expect(second.record).toEqual(first.record)
    expect(await listed(memory)).toEqual(['Ann plays the cello'])
    expect((await memory.add('Ann plays the cello', { dedupe: false })).outcome).toBe('added')
    expect(await listed(memory)).toHaveLength(2)
  })

  it('[WRT-20] the same thing twice in one call is stored once', async () => {
    const memory = await fresh()
    const entity = { kind: 'entity', key: 'Ann', content: 'Ann, a cellist' }
    const { results } = await memory.addMany([entity, entity, 'a note', 'a note'])
    expect(results.map(({ outcome }) => outcome)).toEqual(['added', 'duplicate', 'added', 'duplicate'])
    expect(results[0]?.record.id).toBe(results[1]?.record.id)
    expect((await memory.stats()).total).toBe(2)
  })

  it('[DEL-20] of a deleted record nothing but a tombstone stays, a made-up number included', async () => {
    const memory = await fresh()
    const secret = 'The number is 078-05-1120'
    const { record } = await memory.add({ content: secret, metadata: { number: '078-05-1120' } })
    await memory.update(record.id, { tags: ['078-05-1120'] })
    expect(await memory.deleteMany({ filter: {} })).toMatchObject({ deleted: 1 })
    const history = await memory.history(record.id)
    expect(history.at(-1)).toMatchObject({ op: 'delete', record: null })
    const lines: string[] = []
    for await (const line of memory.export()) lines.push(line)
    const kept = JSON.stringify([history, await memory.changes(), lines, await memory.get(record.id)])
    expect(kept).not.toContain('078-05')
    expect(await found(memory, '078-05-1120', { status: 'any' })).toEqual([])
    expect(await listed(memory, { status: 'any' })).toEqual([])
  })

  it('[DEL-21] a scope of 3,000 goes in one transaction', async () => {
    const memory = await fresh()
    await memory.addMany(Array.from({ length: 3000 }, (_, n) => `memory number ${n} of Ann`))
    await memory.add('of Bob', { scope: { userId: 'bob' } })
    const { deleted, tx } = await memory.deleteMany({ filter: {} })
    expect(deleted).toBe(3000)
    const removed: string[] = []
    let after: string | undefined
    for (;;) {
      const page = await memory.changes({ limit: 1000, after })
      if (page.changes.length === 0) break
      removed.push(...page.changes.filter(({ op }) => op === 'delete').map((change) => change.tx))
      after = page.cursor
    }
    expect(removed).toHaveLength(3000)
    expect(new Set(removed)).toEqual(new Set([tx]))
    expect((await memory.stats({ allScopes: true })).total).toBe(1)
    expect(await found(memory, 'Bob', { scope: { userId: 'bob' } })).toEqual(['of Bob'])
    expect(await memory.verify()).toMatchObject({ ok: true })
  })

  it('[IMP-20] one broken line: the row is named, and nothing is half imported', async () => {
    const memory = await fresh()
    await memory.addMany(['first', 'second', 'third'])
    const lines: string[] = []
    for await (const line of memory.export()) lines.push(line)
    lines[2] = '{"type":"record","record":{"id":\n'
    const other = await fresh()
    const attempt = other.import(lines.join(''))
    await expect(attempt).rejects.toMatchObject({ code: 'INVALID_RECORD', message: expect.stringContaining('row 3') })
    expect(await listed(other)).toEqual([])
  })

  it('[WRT-21] a link to a record that is not there is refused', async () => {
    const memory = await fresh()
    const { record } = await memory.add('Ann')
    await expect(memory.link(record.id, 'nobody', { type: 'knows' })).rejects.toMatchObject({
      code: 'RECORD_NOT_FOUND',
    })
    await expect(memory.link('nobody', record.id, { type: 'knows' })).rejects.toMatchObject({
      code: 'RECORD_NOT_FOUND',
    })
    expect((await memory.neighbors(record.id)).links).toEqual([])
  })

  it("[REC-12] whatever comes out is the caller's: changing it changes nothing stored", async () => {
    const memory = await fresh()
    const given = { content: 'Ann plays the cello', metadata: { list: [1] }, tags: ['music'], data: { deep: [1] } }
    const { record } = await memory.add(given)
    const shown = await memory.get(record.id)
    const spoil = (value: unknown): void => {
      const one = value as {
        content: string
        metadata: { list: number[] }
        tags: string[]
        data: { deep: number[] }
        scope: { userId: string }
      }
      one.metadata.list.push(99)
      one.tags.push('spoilt')
      one.data.deep.length = 0
      one.scope.userId = 'mallory'
      one.content = 'spoilt'
    }
    spoil(record)
    spoil(await memory.get(record.id))
    spoil((await memory.getMany([record.id]))[0])
    spoil((await memory.list()).records[0])
    spoil((await memory.search('cello')).results[0])
    spoil((await memory.history(record.id))[0]?.record)
    spoil((await memory.changes()).changes[0]?.record)
    spoil((await memory.add(given)).record)
    given.metadata.list.push(7)
    expect(await memory.get(record.id)).toMatchObject({ ...shown, accessCount: 1, lastAccessedAt: expect.any(String) })
    expect((await memory.list()).records[0]).toMatchObject({ tags: ['music'], metadata: { list: [1] }, scope: ann })
    expect((await memory.history(record.id))[0]?.record).toMatchObject({ data: { deep: [1] }, scope: ann })
  })

  it('[RED-20] a limit outside of 1 to 1000 is an error', async () => {
    const memory = await thirty()
    for (const limit of [-1, 0, 1001, 2.5]) {
      await expect(memory.search('number', { limit })).rejects.toMatchObject({ code: 'LIMIT_OUT_OF_RANGE' })
      await expect(memory.list({ limit })).rejects.toMatchObject({ code: 'LIMIT_OUT_OF_RANGE' })
    }
    expect(await listed(memory, { limit: 1000 })).toHaveLength(30)
  })

  it('[RED-21] pages show everything once', async () => {
    const memory = await thirty()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await memory.list({ limit: 20, cursor })
      seen.push(...contents(page.records))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(seen).toHaveLength(30)
    expect(new Set(seen).size).toBe(30)
  })

  it('[TXT-20] 腾讯云 is found in 用户服务器部署在腾讯云国内节点', async () => {
    const memory = await fresh()
    await memory.addMany(['用户服务器部署在腾讯云国内节点', '用户喜欢在云南旅行', '昨天腾讯开会'])
    expect((await found(memory, '腾讯云'))[0]).toBe('用户服务器部署在腾讯云国内节点')
    for (const query of ['云', '国内节点', '服务器'])
      expect(await found(memory, query)).toContain('用户服务器部署在腾讯云国内节点')
    expect(await found(memory, '北京')).toEqual([])
  })

  it('[TXT-21] itgc is found in 重跑gen-itgc后', async () => {
    const memory = await fresh()
    await memory.addMany(['重跑gen-itgc后', 'something else'])
    for (const query of ['itgc', 'gen-itgc', 'ITGC', '重跑'])
      expect(await found(memory, query)).toEqual(['重跑gen-itgc后'])
  })

  it('[SEA-20] an exact name is found behind hundreds of similar texts', async () => {
    const memory = await open({ store: create()(), embedder: hashing() })
    const similar = Array.from({ length: 300 }, (_, n) => `The ticket about the login page, number ${n}`)
    await memory.addMany([...similar, 'Closed PROJ-88412 yesterday'])
    expect((await found(memory, 'PROJ-88412'))[0]).toBe('Closed PROJ-88412 yesterday')
  })

  it('[TIM-6] an expiry is an instant: a date without one is refused, at 08:00 on the 14th the 13th is over', async () => {
    const clock = fixedClock('2026-08-13T12:00:00+08:00')
    const memory = await open({ store: create()(), clock })
    await expect(memory.add({ content: 'offer', expiresAt: '2026-08-13' })).rejects.toMatchObject({
      code: 'INVALID_TIME',
    })
    const { record } = await memory.add({ content: 'offer', expiresAt: '2026-08-14T00:00:00+08:00' })
    expect(await listed(memory)).toEqual(['offer'])
    clock.set('2026-08-14T08:00:00+08:00')
    expect(await memory.get(record.id)).toBeNull()
    expect(await listed(memory, { status: 'any' })).toEqual([])
    expect(await found(memory, 'offer')).toEqual([])
  })

  it('[SCO-11] metadata that names another user crosses nothing', async () => {
    const memory = await fresh()
    await memory.add({ content: 'a note of Ann', metadata: { userId: 'bob', scope: { userId: 'bob' } } })
    expect(await listed(memory, { scope: { userId: 'bob' } })).toEqual([])
    expect(await found(memory, 'note', { scope: { userId: 'bob' } })).toEqual([])
    expect(await listed(memory)).toEqual(['a note of Ann'])
    await expect(memory.add({ content: 'x', userId: 'bob' } as never)).rejects.toMatchObject({ code: 'UNKNOWN_FIELD' })
  })

  it('[SCO-1] without a scope nothing is written, read or deleted', async () => {
    const memory = await open({ store: create()(), scope: undefined })
    await memory.add('kept', { scope: ann })
    const calls = [
      () => memory.add('x'),
      () => memory.list(),
      () => memory.search('kept'),
      () => memory.deleteMany({ filter: {} }),
      () => memory.deleteMany({ filter: {}, scope: {} }),
      () => memory.stats(),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' })
    for (const content of ['', '  ']) {
      await expect(memory.add(content, { scope: ann })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    }
    expect(await listed(memory, { scope: ann })).toEqual(['kept'])
  })

  it('[REC-1] NUL bytes and lone surrogates are stored and come back', async () => {
    const stores = create()
    const texts = ['before\u0000after', '\u0000', 'half \ud83d pair', '\udc00\ud800', 'cello\u0000']
    const memory = await open({ store: stores() })
    for (const text of texts) {
      const { record } = await memory.add({ content: text, metadata: { text }, tags: [text], data: [text] })
      expect(await memory.get(record.id)).toMatchObject({
        content: text,
        metadata: { text },
        tags: [text],
        data: [text],
      })
    }
    await memory.close()
    const again = await open({ store: stores() })
    expect(await listed(again)).toEqual(texts)
    expect(await listed(again, { tags: ['half \ud83d pair'] })).toEqual(['half \ud83d pair'])
    expect(await listed(again, { filter: { text: { contains: '\u0000' } } })).toHaveLength(3)
    expect(await found(again, 'after')).toEqual(['before\u0000after'])
    expect(await found(again, 'cello')).toEqual(['cello\u0000'])
    expect(await again.verify()).toMatchObject({ ok: true })
  })

  it('[EMB-20] another embedder is refused with two ways out, and both work', async () => {
    const stores = create()
    const [former, next] = [hashing({ dimensions: 64 }), hashing({ dimensions: 128 })]
    const first = await open({ store: stores(), embedder: former })
    await first.add('Ann plays the cello')
    await first.close()

    const refused = await open({ store: stores(), embedder: next })
    const said = await refused.search('cello').catch((error: Error) => error)
    expect(said).toMatchObject({ code: 'EMBEDDER_CHANGED' })
    for (const part of ['hashing-64', 'hashing-128', 'former embedder', 'embedder: false', 'export', 'import']) {
      expect((said as Error).message).toContain(part)
    }
    await expect(refused.add('more')).rejects.toMatchObject({ code: 'EMBEDDER_CHANGED' })
    await refused.close()

    const back = await open({ store: stores(), embedder: former })
    expect(await found(back, 'cello', { mode: 'vector' })).toEqual(['Ann plays the cello'])
    await back.close()

    const plain = await open({ store: stores(), embedder: false })
    const lines: string[] = []
    for await (const line of plain.export()) lines.push(line)
    await plain.close()
    const moved = await open({ store: create()(), embedder: next })
    await moved.import(lines.join(''))
    expect(await found(moved, 'cello', { mode: 'vector' })).toEqual(['Ann plays the cello'])
    expect((await moved.stats()).embedder).toEqual({ id: 'hashing-128', dimensions: 128 })
    expect((await moved.pending()).records).toEqual([])
  })

  it('[STO-20] two managers on one memory, 20 creates at once each: 40 records', async () => {
    const stores = create()
    const [one, other] = [await open({ store: stores() }), await open({ store: stores() })]
    const create20 = (memory: typeof one, who: string) =>
      Array.from({ length: 20 }, (_, n) =>
        memory.add({ kind: 'entity', key: `${who} ${n}`, content: `${who} entity ${n}` }),
      )
    const results = await Promise.all([...create20(one, 'first'), ...create20(other, 'second')])
    expect(new Set(results.map(({ record }) => record.id)).size).toBe(40)
    for (const memory of [one, other]) {
      expect((await memory.stats()).total).toBe(40)
      expect(await found(memory, 'entity', { limit: 100 })).toHaveLength(40)
    }
    const third = await open({ store: stores() })
    expect(await listed(third)).toHaveLength(40)
    expect(await third.verify()).toMatchObject({ ok: true })
  })

  it('[STO-21] two managers that create the same thing at once make one record of it', async () => {
    const stores = create()
    const [one, other] = [await open({ store: stores() }), await open({ store: stores() })]
    const calls = Array.from({ length: 10 }, () => [one.add('the same words'), other.add('the same words')]).flat()
    const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(1)
    expect(await listed(one)).toEqual(['the same words'])
  })
})

describe('what others get wrong, on a file', () => {
  it('[DEL-20] the bytes of a deleted text are not in the file any more', async () => {
    const path = join(temporaryFolder(), 'memory.db')
    const memory = await open({ path })
    const { record } = await memory.add('The number is 078-05-1120')
    await memory.add('Something that stays')
    await memory.delete(record.id)
    await memory.close()
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      if (existsSync(file)) expect(readFileSync(file).includes('078-05-1120'), file).toBe(false)
    }
    const again = await open({ path })
    expect(await listed(again)).toEqual(['Something that stays'])
  })
})
