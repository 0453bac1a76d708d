import assert from 'node:assert/strict'

/** A promise that a store does not keep yet, and why. Its cases must fail: once they pass, take the gap out. */
export interface KnownGap {
  readonly rule: string
  readonly reason: string
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

/** Cases with all that it takes to run them on one target. */
export interface Suite<C extends { readonly rule: string; readonly title: string }> {
  readonly name: string
  readonly cases: readonly C[]
  readonly knownGaps: readonly KnownGap[]
  /** Rules that a gap may name. */
  readonly rules: ReadonlySet<string>
  /** What the target has not got and the case needs. */
  lacking(one: C): readonly string[]
  /** Rejects when the promise is not kept. */
  run(one: C): Promise<void>
}

async function expectFailure(work: Promise<void>, gap: KnownGap): Promise<void> {
  const failed = await work.then(
    () => false,
    () => true,
  )
  assert.ok(failed, `${gap.rule} holds: take it out of knownGaps ("${gap.reason}")`)
}

function gapsOf({ knownGaps, rules }: Pick<Suite<never>, 'knownGaps' | 'rules'>): ReadonlyMap<string, KnownGap> {
  const unknown = knownGaps.find(({ rule }) => !rules.has(rule))
  if (unknown) throw new Error(`conformance: knownGaps names ${unknown.rule}, which is no rule of the suite.`)
  return new Map(knownGaps.map((gap) => [gap.rule, gap]))
}

/** A test for each case that can be asked. A rule in `knownGaps` runs as expected to fail. */
export function describeSuite<C extends { readonly rule: string; readonly title: string }>(
  suite: Suite<C>,
  { describe, it }: TestApi,
): void {
  const gaps = gapsOf(suite)
  const lacks = [...new Set(suite.cases.flatMap((each) => suite.lacking(each)))]
  describe(`conformance of ${suite.name}${lacks.length > 0 ? ` (not asked for: ${lacks.join(', ')})` : ''}`, () => {
    for (const each of suite.cases) {
      if (suite.lacking(each).length > 0) continue
      const gap = gaps.get(each.rule)
      const title = `[${each.rule}] ${each.title}`
      if (gap) it(`${title} (known gap: ${gap.reason})`, () => expectFailure(suite.run(each), gap))
      else it(title, () => suite.run(each))
    }
  })
}

/** One case after the other, and how each went. */
export async function* runSuite<C extends { readonly rule: string; readonly title: string }>(
  suite: Suite<C>,
): AsyncGenerator<ConformanceResult, void, undefined> {
  const gaps = gapsOf(suite)
  for (const each of suite.cases) {
    const { rule, title } = each
    const lacks = suite.lacking(each)
    if (lacks.length > 0) {
      yield { rule, title, outcome: 'not asked', reason: `needs ${lacks.join(', ')}` }
      continue
    }
    const gap = gaps.get(rule)
    try {
      await (gap ? expectFailure(suite.run(each), gap) : suite.run(each))
      yield gap ? { rule, title, outcome: 'gap', reason: gap.reason } : { rule, title, outcome: 'passed' }
    } catch (error) {
      yield { rule, title, outcome: 'failed', reason: error instanceof Error ? error.message : String(error) }
    }
  }
}
