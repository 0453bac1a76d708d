import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MemoryStore } from '../contract/index.ts'
import { MnemeError } from '../errors/index.ts'
import type { ConflictPolicy } from '../kinds/index.ts'
import type { MemoryRecord, Scope } from '../model/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { sqlite } from '../stores/sqlite/index.ts'
import { fixedClock } from '../testing/index.ts'
import { type MemoryEngine, openMemory } from './index.ts'

const ann = { userId: 'ann' }
const bob = { userId: 'bob' }
const keys = ['home', 'work'] as const
const values = ['Bonn', 'Kiel', 'Ulm'] as const

type Step =
  | { do: 'set'; key: string; value: string; source: 'user' | 'assistant' | 'web'; bob: boolean }
  | { do: 'add' | 'supersede' | 'update'; value: string; source: 'user' | 'web'; place: number }
  | { do: 'resolve'; keep: 'first' | 'second' | 'both' | 'neither' | 'merged'; place: number }
  | { do: 'undo'; back: number }
  | { do: 'restore' | 'invalidate' | 'delete'; place: number }
  | { do: 'carry' }

const place = fc.nat(20)
const value = fc.constantFrom(...values)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      key: fc.constantFrom(...keys),
      value,
      source: fc.constantFrom('user', 'assistant', 'web'),
      bob: fc.nat(5).map((number) => number === 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('add' as const, 'supersede' as const, 'update' as const),
      value,
      source: fc.constantFrom('user' as const, 'web' as const),
      place,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      keep: fc.constantFrom('first', 'second', 'both', 'neither', 'merged'),
      place,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), back: fc.nat(6) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('restore' as const, 'invalidate' as const, 'delete' as const), place }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'carry' as const }) },
) as fc.Arbitrary<Step>

async function everything(memory: MemoryEngine): Promise<readonly MemoryRecord[]> {
  return (await memory.list({ status: 'any', limit: 1000, order: 'oldest' }, { allScopes: true })).records
}

/** What may be refused: because something changed, is decided, or is gone. */
const refusals = ['CONFLICT', 'VERSION_CONFLICT', 'RECORD_NOT_FOUND', 'INVALID_ARGUMENT']

interface Done {
  readonly tx: string
  readonly scope: Scope
}

async function carryOut(
  memory: MemoryEngine,
  one: Step,
  txs: readonly Done[],
): Promise<{ readonly tx?: string | undefined }> {
  const all = await everything(memory)
  const at = (number: number) => all[number % Math.max(1, all.length)]
  switch (one.do) {
    case 'set':
      return memory.facts.set(one.key, one.value, { source: one.source, scope: one.bob ? bob : ann })
    case 'add':
      return memory.add({ content: `work: ${one.value}`, key: 'work', source: { type: one.source } }, { scope: ann })
    case 'supersede':
    case 'update': {
      const record = at(one.place)
      if (!record) return {}
      const said = { content: `${record.key}: ${one.value}`, data: one.value, source: { type: one.source } }
      return one.do === 'update'
        ? memory.update(record.id, said, { scope: record.scope })
        : memory.supersede(record.id, said, { scope: record.scope })
    }
    case 'resolve': {
      const { conflicts } = await memory.conflicts.list({ allScopes: true })
      const conflict = conflicts[one.place % Math.max(1, conflicts.length)]
      if (!conflict) return {}
      const { id, scope } = conflict
      const decision = one.keep === 'merged' ? { merged: `${conflict.first.key}: both` } : { keep: one.keep }
      return memory.conflicts.resolve(id, { ...decision, scope })
    }
    case 'undo': {
      const done = txs.at(-1 - one.back)
      return done ? memory.undo(done.tx, { scope: done.scope }) : {}
    }
    case 'restore':
    case 'invalidate':
    case 'delete': {
      const record = at(one.place)
      return record ? memory[one.do](record.id, { scope: record.scope }) : {}
    }
    case 'carry': {
      const lines: string[] = []
      for await (const piece of memory.export({ allScopes: true })) lines.push(piece)
      return memory.import(lines.join(''), { allScopes: true })
    }
  }
}

/** Where a step is written: what names a record is written where that one is. */
function scopeOf(before: readonly MemoryRecord[], one: Step): Scope {
  if (one.do === 'set') return one.bob ? bob : ann
  const named = 'place' in one && one.do !== 'add' && one.do !== 'resolve'
  return (named ? before[one.place % Math.max(1, before.length)]?.scope : undefined) ?? ann
}

/** What a caller of each of these may see of trust: nothing untrusted is where something trusted was, unless a decision put it there. */
async function check(memory: MemoryEngine, before: readonly MemoryRecord[], one: Step): Promise<void> {
  const all = await everything(memory)
  const byId = new Map(all.map((record) => [record.id, record]))
  const { conflicts } = await memory.conflicts.list({ allScopes: true, limit: 1000 })
  for (const { first, second, scope } of conflicts) {
    expect(byId.get(first.id)).toMatchObject({ status: 'live' })
    expect(byId.get(second.id)).toMatchObject({ status: 'quarantined' })
    expect([first.scope, second.scope]).toEqual([scope, scope])
  }
  expect(new Set(conflicts.map(({ second }) => second.id)).size).toBe(conflicts.length)
  const live = all.filter(({ status, key }) => status === 'live' && key !== undefined)
  expect(new Set(live.map(({ key, kind, scope }) => JSON.stringify([key, kind, scope]))).size).toBe(live.length)
  if (one.do === 'undo') return
  for (const was of before) {
    if (was.status !== 'live' || was.trust !== 'trusted') continue
    const now = byId.get(was.id)
    // Only who changes a memory by its id says that what it holds comes from somewhere else.
    if (now?.status === 'live' && (one.do !== 'update' || now.content !== was.content))
      expect(now.trust).not.toBe('untrusted')
    if (now?.status === 'superseded') expect(byId.get(now.supersededBy as string)?.trust).not.toBe('untrusted')
  }
}

const stores: Record<string, { readonly runs: number; make(): MemoryStore }> = {
  memory: { runs: 120, make: memoryStore },
  sqlite: { runs: 25, make: () => sqlite({ path: ':memory:' }) },
}

describe.each(Object.entries(stores))(
  'whatever is said, decided, undone and deleted on the %s store',
  (_name, { runs, make }) => {
    it('[CFL-4] open contradictions have both sides in reach, no key two live records, and nothing untrusted replaced what was trusted', async () => {
      const policies = fc.constantFrom<ConflictPolicy>('newest', 'evidence', 'trusted', 'ask')
      let opened = 0
      const property = fc.asyncProperty(
        policies,
        fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }),
        async (onConflict, steps) => {
          const clock = fixedClock(Date.UTC(2026, 0, 1))
          const memory = await openMemory({
            store: make(),
            embedder: false,
            clock,
            kinds: { semantic: { onConflict } },
          })
          const txs: Done[] = []
          for (const one of steps) {
            clock.advance(1000)
            const before = await everything(memory)
            try {
              const { tx } = await carryOut(memory, one, txs)
              if (tx !== undefined) txs.push({ tx, scope: scopeOf(before, one) })
            } catch (error) {
              if (!MnemeError.is(error) || !refusals.includes(error.code)) throw error
            }
            await check(memory, before, one)
            opened += (await memory.conflicts.list({ allScopes: true })).conflicts.length
          }
          await memory.close()
        },
      )
      // Few programs may happen to open few: then some more are tried.
      for (let tries = 1; tries <= 4 && opened <= runs; tries++) await fc.assert(property, { numRuns: runs })
      expect(opened).toBeGreaterThan(runs)
    })
  },
)
