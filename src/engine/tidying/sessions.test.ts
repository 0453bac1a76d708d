import { beforeEach, describe, expect, it } from 'vitest'
import { memory as memoryStore } from '../../stores/memory/index.ts'
import { fixedClock } from '../../testing/index.ts'
import { countTokens } from '../../text/index.ts'
import type { MemoryEngine } from '../index.ts'
import { openMemory } from '../index.ts'

const talk = { userId: 'ann', sessionId: 's1' }
const ann = { userId: 'ann' }
const day = 86_400_000

describe('sessions that have ended', () => {
  const clock = fixedClock()
  let engine: MemoryEngine
  beforeEach(async () => {
    clock.set('2026-05-01T09:00:00Z')
    engine = await openMemory({ store: memoryStore(), embedder: false, clock })
    const turns = Array.from({ length: 60 }, (_, i) => ({
      kind: 'episodic',
      content: `Ann told of place ${i}, where it rained for ${i} hours and nobody came.`,
      eventTime: { start: new Date(clock() + i * 1000).toISOString() },
      source: { type: 'user' as const, actor: 'Ann' },
    }))
    await engine.addMany(turns, { scope: talk })
    return () => engine.close()
  })
  const episodes = (status: 'live' | 'archived') =>
    engine.list({ scope: talk, kinds: ['episodic'], status, limit: 100 }).then(({ records }) => records)
  const summary = () => engine.summaries.get('session', { scope: talk })

  it('[CSL-9] are summed up within a budget, and their episodes stay', async () => {
    expect((await engine.consolidate({ scope: ann })).plan?.steps).toEqual([])
    clock.advance(8 * day)
    const { plan } = await engine.consolidate({ scope: ann })
    expect(plan?.steps.map(({ op, after }) => [op, after?.kind, after?.key])).toEqual([
      ['add', 'summary', 'summary.session'],
    ])
    const kept = await summary()
    expect(countTokens(kept?.text ?? '')).toBeLessThanOrEqual(300)
    expect(kept).toMatchObject({ stale: false, record: { scope: talk, source: { type: 'derived' } } })
    expect(await episodes('live')).toHaveLength(60)
    expect((await engine.consolidate({ scope: ann })).plan?.steps).toEqual([])
  })

  it('[CSL-9] are archived when the caller asks for it, linked with their summary, and undo brings them back', async () => {
    clock.advance(8 * day)
    const { tx, plan } = await engine.consolidate({ scope: ann, episodes: 'archive' })
    expect(plan?.steps).toHaveLength(61)
    const kept = await summary()
    expect(kept?.stale).toBe(false)
    const archived = await episodes('archived')
    expect(archived).toHaveLength(60)
    expect(new Set(archived.map(({ supersededBy }) => supersededBy))).toEqual(new Set([kept?.record.id]))
    expect((await engine.consolidate({ scope: ann, episodes: 'archive' })).plan?.steps).toEqual([])
    // What is archived so stays in the summary, also when it is made anew.
    const again = await engine.summaries.refresh('session', { scope: talk, rebuild: true })
    expect(again.text).toBe(kept?.text)
    await engine.undo(again.tx as string, { scope: talk })
    await engine.undo(tx as string, { scope: ann })
    expect(await episodes('live')).toHaveLength(60)
    expect(await summary()).toBeNull()
  })

  it('[CSL-9] are archived after they were summed up, too; what comes back to life is not ended', async () => {
    clock.advance(8 * day)
    const { results } = await engine.consolidate({ scope: ann })
    await engine.consolidate({ scope: ann, episodes: 'archive' })
    expect(await episodes('live')).toEqual([])
    expect((await summary())?.record).toMatchObject({ id: results?.[0]?.id, version: 1 })
    expect(await summary()).toMatchObject({ stale: false })
    await engine.add({ kind: 'episodic', content: 'Ann is back' }, { scope: talk })
    expect((await engine.consolidate({ scope: ann, episodes: 'archive' })).plan?.steps).toEqual([])
    clock.advance(8 * day)
    await engine.consolidate({ scope: ann, episodes: 'archive' })
    expect((await summary())?.text).toContain('Ann is back')
    expect(await episodes('live')).toEqual([])
  })

  it('[CSL-9] archived episodes that are deleted leave the summary; those that are restored live on their own', async () => {
    clock.advance(8 * day)
    await engine.consolidate({ scope: ann, episodes: 'archive' })
    const kept = await summary()
    const [first, second] = kept?.sources ?? []
    const { content } = (await engine.get(first as string, { scope: ann })) ?? { content: '' }
    await engine.delete(first as string, { scope: ann })
    expect((await summary())?.text).not.toContain(content)
    const { record } = await engine.restore(second as string, { scope: ann })
    expect([record.status, record.supersededBy]).toEqual(['live', undefined])
    expect(await engine.verify()).toMatchObject({ ok: true })
  })

  it('[CSL-9] stay as they are where the caller says so, where little was said, and pinned or keyed episodes always', async () => {
    await engine.add({ kind: 'episodic', content: 'Ann waved' }, { scope: { ...ann, sessionId: 's2' } })
    await engine.add({ kind: 'episodic', content: 'Ann sang', pinned: true }, { scope: talk })
    clock.advance(8 * day)
    expect((await engine.consolidate({ scope: ann, episodes: 'keep' })).plan?.steps).toEqual([])
    await engine.consolidate({ scope: ann, episodes: 'archive' })
    expect((await episodes('live')).map(({ content }) => content)).toEqual(['Ann sang'])
    const short = await engine.summaries.get('session', { scope: { ...ann, sessionId: 's2' } })
    expect(short?.text).toBe('Ann waved')
  })

  it('[CSL-9] olderThanDays says when a session has ended', async () => {
    clock.advance(2 * day)
    expect((await engine.consolidate({ scope: ann, olderThanDays: 3 })).plan?.steps).toEqual([])
    expect((await engine.consolidate({ scope: ann, olderThanDays: 1 })).plan?.steps).toHaveLength(1)
  })
})
