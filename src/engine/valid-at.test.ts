import { describe, expect, it } from 'vitest'
import { testStores } from '../../test/fixtures/stores.ts'
import { fixedClock } from '../testing/index.ts'
import { openMemory } from './index.ts'

const year = (number: number) => `${number}-01-01T00:00:00Z`

describe.each(testStores)('what was true at a moment on the %s store', (_name, makeStore) => {
  it('[SEA-40] a superseded fact is found for its time, by text, by meaning and in lists, and with asOf as it was believed', async () => {
    const clock = fixedClock(Date.UTC(2025, 0, 1))
    const memory = await openMemory({ store: makeStore(), scope: { userId: 'ann' }, clock })
    const bonn = (await memory.add({ content: 'Ann lives in Bonn', validFrom: year(2020) })).record
    const believed = new Date(clock()).toISOString()
    clock.advance(86_400_000)
    const kiel = (await memory.supersede(bonn.id, { content: 'Ann lives in Kiel', validFrom: year(2024) })).record
    const hidden = (await memory.add({ content: 'Ann lives in Ulm', validFrom: year(2019) })).record
    await memory.invalidate(hidden.id)
    await memory.add({ content: 'Ann lives in Jena', status: 'quarantined' })
    await memory.add({ content: 'Ann lives in Gera', status: 'archived' })
    expect(await memory.get(bonn.id)).toMatchObject({
      status: 'superseded',
      validTo: new Date(year(2024)).toISOString(),
      supersededBy: kiel.id,
    })
    expect(kiel.supersedes).toBe(bonn.id)

    const places = async (validAt: string | undefined, more: object = {}) => {
      const { results } = await memory.search('Where does Ann live?', { validAt, ...more })
      const listed = await memory.list({ validAt, order: 'oldest', ...('mode' in more ? {} : more) })
      expect(results.map(({ id }) => id).sort()).toEqual(listed.records.map(({ id }) => id).sort())
      return results.map(({ content }) => content.slice(13)).sort()
    }
    expect(await places(undefined)).toEqual(['Kiel'])
    expect(await places(year(2023))).toEqual(['Bonn'])
    expect(await places(year(2025))).toEqual(['Kiel'])
    expect(await places(year(2018))).toEqual([])
    for (const mode of ['text', 'vector', 'hybrid']) expect(await places(year(2023), { mode })).toEqual(['Bonn'])
    expect(await places(year(2025), { asOf: believed })).toEqual(['Bonn'])
    expect(await places(undefined, { asOf: believed })).toEqual(['Bonn'])
    expect(await places(year(2023), { status: 'live' })).toEqual([])
    expect(await places(year(2023), { status: 'any' })).toEqual(['Bonn', 'Gera', 'Jena', 'Ulm'])
    expect(await memory.explain('Where does Ann live?', bonn.id, { validAt: year(2023) })).toMatchObject({
      stage: 'returned',
    })
    expect(await memory.explain('Where does Ann live?', bonn.id)).toMatchObject({ stage: 'status' })
    await memory.close()
  })
})
