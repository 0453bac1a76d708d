import assert from 'node:assert/strict'
import type { MemoryStore, Transaction } from '../contract/index.ts'
import { fixedClock, put, sequentialIds, transaction } from '../testing/index.ts'
import { conformanceCases } from './cases/index.ts'
import type { ConformanceCase, ConformanceContext, Facet, Facets, HeldCommit, Need } from './conformance-case.ts'

/** A promise that a store does not keep yet, and why. Its cases must fail: once they pass, take the gap out. */
export interface KnownGap {
  readonly rule: string
  readonly reason: string
}

/** A store to be checked. */
export interface ConformanceTarget {
  readonly name: string
  /** A store over data of its own, not open yet. */
  create(): MemoryStore | Promise<MemoryStore>
  /** Takes away what the store leaves behind; it is closed by then. */
  destroy?(store: MemoryStore): void | Promise<void>
  /** Another instance over the same data, not open yet. */
  openSecond?(first: MemoryStore): MemoryStore | Promise<MemoryStore>
  /** Commits, but stops right before anybody can see it. */
  holdCommit?(store: MemoryStore, transaction: Transaction): Promise<HeldCommit>
  /** What was committed is there after close and open. @default false */
  readonly durable?: boolean
  /** What can be searched. @default none */
  readonly facets?: readonly Facet[]
  /** The facets judge the conditions of a window. @default false */
  readonly judges?: boolean
  /** Where the facets are, asked once before the store is open. @default the store itself */
  facetsOf?(store: MemoryStore): Partial<Facets>
  readonly knownGaps?: readonly KnownGap[]
}

/** The two functions of a test runner that the suite uses; those of vitest and of node:test fit. */
export interface TestApi {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
}

export interface ConformanceResult {
  readonly rule: string
  readonly title: string
  /** `gap`: failed, as was to be expected. `not asked`: the store has not got what the case needs. */
  readonly outcome: 'passed' | 'failed' | 'gap' | 'not asked'
  /** What went wrong, why it was expected, or what the store lacks. */
  readonly reason?: string
}

function has(target: ConformanceTarget, need: Need): boolean {
  if (need === 'shared') return target.openSecond !== undefined
  if (need === 'held-commit') return target.holdCommit !== undefined
  if (need === 'durable') return target.durable ?? false
  if (need === 'judges') return target.judges ?? false
  return target.facets?.includes(need) ?? false
}

function lacking(target: ConformanceTarget, { needs = [] }: ConformanceCase): readonly Need[] {
  return needs.filter((need) => !has(target, need))
}

function missing(what: string): never {
  throw new Error(
    `conformance: the store has no ${what}. The case must say that it needs it, the target that it is there.`,
  )
}

/** Runs one case on a fresh store, which it closes; rejects when the promise is not kept. */
async function runCase(target: ConformanceTarget, { run }: ConformanceCase): Promise<void> {
  const store = await target.create()
  const opened = [store]
  const clock = fixedClock()
  const ids = sequentialIds()
  const facets = target.facetsOf?.(store) ?? store
  const context: ConformanceContext = {
    store,
    clock,
    ids,
    async openSecond() {
      const second = (await target.openSecond?.(store)) ?? missing('second instance')
      opened.push(second)
      await second.open()
      return second
    },
    holdCommit: (holder, held) => target.holdCommit?.(holder, held) ?? missing('way to hold a commit'),
    facet: (name) => facets[name] ?? missing(`facet ${name}`),
    transaction: (changes, fields) => transaction({ id: ids(), at: clock(), changes, ...fields }),
    commit: (changes, fields) => store.commit(context.transaction(changes, fields)),
    async add(fields, beside, transactionFields) {
      const { records } = await context.commit([put({ id: ids(), ...fields }, beside)], transactionFields)
      return records[0] ?? assert.fail('a commit gives back the record it put')
    },
  }
  try {
    await store.open()
    await run(context)
    await store.open()
    assert.deepEqual(await store.verify(), [], 'verify finds problems after the case')
  } finally {
    for (const each of opened.reverse()) await each.close()
    await target.destroy?.(store)
  }
}

async function expectFailure(work: Promise<void>, gap: KnownGap): Promise<void> {
  const failed = await work.then(
    () => false,
    () => true,
  )
  assert.ok(failed, `${gap.rule} holds: take it out of knownGaps ("${gap.reason}")`)
}

function gapsOf(target: ConformanceTarget): ReadonlyMap<string, KnownGap> {
  const gaps = target.knownGaps ?? []
  const unknown = gaps.find(({ rule }) => !conformanceCases.some((each) => each.rule === rule))
  if (unknown) throw new Error(`conformance: knownGaps names ${unknown.rule}, which is no rule of the suite.`)
  return new Map(gaps.map((gap) => [gap.rule, gap]))
}

/**
 * Registers the suite with a test runner: a test for each case that the store can be asked.
 * A rule in `knownGaps` runs as expected to fail.
 */
export function describeConformance(
  target: ConformanceTarget,
  { describe, it }: TestApi,
  cases: readonly ConformanceCase[] = conformanceCases,
): void {
  const gaps = gapsOf(target)
  const lacks = [...new Set(cases.flatMap((each) => lacking(target, each)))]
  describe(`conformance of ${target.name}${lacks.length > 0 ? ` (not asked for: ${lacks.join(', ')})` : ''}`, () => {
    for (const each of cases) {
      if (lacking(target, each).length > 0) continue
      const gap = gaps.get(each.rule)
      const title = `[${each.rule}] ${each.title}`
      if (gap) it(`${title} (known gap: ${gap.reason})`, () => expectFailure(runCase(target, each), gap))
      else it(title, () => runCase(target, each))
    }
  })
}

/** Runs the suite without a test runner, one case after the other, and tells how each went. */
export async function* runConformance(
  target: ConformanceTarget,
  cases: readonly ConformanceCase[] = conformanceCases,
): AsyncGenerator<ConformanceResult, void, undefined> {
  const gaps = gapsOf(target)
  for (const each of cases) {
    const { rule, title } = each
    const lacks = lacking(target, each)
    if (lacks.length > 0) {
      yield { rule, title, outcome: 'not asked', reason: `needs ${lacks.join(', ')}` }
      continue
    }
    const gap = gaps.get(rule)
    try {
      await (gap ? expectFailure(runCase(target, each), gap) : runCase(target, each))
      yield gap ? { rule, title, outcome: 'gap', reason: gap.reason } : { rule, title, outcome: 'passed' }
    } catch (error) {
      yield { rule, title, outcome: 'failed', reason: error instanceof Error ? error.message : String(error) }
    }
  }
}
