import assert from 'node:assert/strict'
import type { MemoryStore, Transaction } from '../contract/index.ts'
import { fixedClock, put, sequentialIds, transaction } from '../testing/index.ts'
import { conformanceCases } from './cases/index.ts'
import type { ConformanceCase, ConformanceContext, Facet, Facets, HeldCommit, Need } from './conformance-case.ts'
import { type ConformanceResult, describeSuite, type KnownGap, runSuite, type Suite, type TestApi } from './suite.ts'

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

function suiteOf(target: ConformanceTarget, cases: readonly ConformanceCase[]): Suite<ConformanceCase> {
  return {
    name: target.name,
    cases,
    knownGaps: target.knownGaps ?? [],
    rules: new Set(conformanceCases.map(({ rule }) => rule)),
    lacking: (one) => lacking(target, one),
    run: (one) => runCase(target, one),
  }
}

/**
 * Registers the suite with a test runner: a test for each case that the store can be asked.
 * A rule in `knownGaps` runs as expected to fail.
 */
export function describeConformance(
  target: ConformanceTarget,
  api: TestApi,
  cases: readonly ConformanceCase[] = conformanceCases,
): void {
  describeSuite(suiteOf(target, cases), api)
}

/** Runs the suite without a test runner, one case after the other, and tells how each went. */
export function runConformance(
  target: ConformanceTarget,
  cases: readonly ConformanceCase[] = conformanceCases,
): AsyncGenerator<ConformanceResult, void, undefined> {
  return runSuite(suiteOf(target, cases))
}
