import assert from 'node:assert/strict'
import type { HotTier, StoredRecord, StoredVector } from '../../contract/index.ts'
import { put } from '../../testing/index.ts'
import { type ConformanceResult, describeSuite, type KnownGap, runSuite, type Suite, type TestApi } from '../suite.ts'
import { hotTierCases } from './cases/index.ts'
import type { HotCase, HotCaseContext, HotCaseOptions, HotNeed } from './hot-case.ts'

/** A hot tier to be checked. */
export interface HotTierTarget {
  readonly name: string
  /** A tier over data of its own, not open yet. Where a case asks for a time to live or a lease, it must be that. */
  create(options: HotCaseOptions): HotTier | Promise<HotTier>
  /** Takes away what the tier leaves behind; it is closed by then. */
  destroy?(tier: HotTier): void | Promise<void>
  /** Another instance over the same data, not open yet. */
  openSecond?(first: HotTier): HotTier | Promise<HotTier>
  /** Takes everything away, as a server that lost its memory. */
  loseAll?(tier: HotTier): Promise<void>
  readonly knownGaps?: readonly KnownGap[]
}

function lacking(target: HotTierTarget, { needs = [] }: HotCase): readonly HotNeed[] {
  return needs.filter((need) => (need === 'shared' ? target.openSecond : target.loseAll) === undefined)
}

function missing(what: string): never {
  throw new Error(
    `conformance: the tier has no ${what}. The case must say that it needs it, the target that it is there.`,
  )
}

function storedOf(fields: Parameters<typeof put>[0], vector: StoredVector | null = null): StoredRecord {
  const { record, analysis } = put(fields)
  const createdAt = record.createdAt ?? '2026-01-01T00:00:00.000Z'
  return { record: { version: 1, updatedAt: createdAt, ...record, createdAt }, analysis, vector }
}

async function runCase(target: HotTierTarget, { run, options = {} }: HotCase): Promise<void> {
  const tier = await target.create(options)
  const opened = [tier]
  const context: HotCaseContext = {
    tier,
    stored: storedOf,
    async openSecond(openOptions) {
      const second = (await target.openSecond?.(tier)) ?? missing('second instance')
      opened.push(second)
      await second.open(openOptions)
      return second
    },
    loseAll: () => target.loseAll?.(tier) ?? missing('way to lose everything'),
    async write(fields, vector) {
      const stored = storedOf(fields, vector)
      const [lease] = await tier.hold([stored.record.id])
      assert.deepEqual(await tier.putIfNewer([{ stored, lease }]), [true], 'a writer alone puts what it held')
      return stored
    },
  }
  try {
    await tier.open()
    await run(context)
  } finally {
    for (const each of opened.reverse()) await each.close()
    await target.destroy?.(tier)
  }
}

function suiteOf(target: HotTierTarget, cases: readonly HotCase[]): Suite<HotCase> {
  return {
    name: target.name,
    cases,
    knownGaps: target.knownGaps ?? [],
    rules: new Set(hotTierCases.map(({ rule }) => rule)),
    lacking: (one) => lacking(target, one),
    run: (one) => runCase(target, one),
  }
}

/** Registers the suite of hot tiers with a test runner: a test for each case that the tier can be asked. */
export function describeHotTierConformance(
  target: HotTierTarget,
  api: TestApi,
  cases: readonly HotCase[] = hotTierCases,
): void {
  describeSuite(suiteOf(target, cases), api)
}

/** Runs the suite of hot tiers without a test runner, one case after the other, and tells how each went. */
export function runHotTierConformance(
  target: HotTierTarget,
  cases: readonly HotCase[] = hotTierCases,
): AsyncGenerator<ConformanceResult, void, undefined> {
  return runSuite(suiteOf(target, cases))
}
