import { parseContext } from '../../context/index.ts'
import { type LearnInput, type MemoryEngine, openMemory } from '../../engine/index.ts'
import type { Scope } from '../../model/index.ts'
import { fold } from '../../text/index.ts'
import type { Expectation, ExpectationTest } from './expectation-file.ts'

/** What a question brought to light, beside what was expected of it. */
export interface ExpectationResult {
  readonly ask: string
  readonly ok: boolean
  readonly tokens: number
  /** Of what it must show, what it did not. */
  readonly missing: readonly string[]
  /** Of what it must never show, what it did. */
  readonly shown: readonly string[]
  /** The block that a model would have been given. */
  readonly text: string
  /** There is something that it would have been given, had there been room. */
  readonly isTooLong: boolean
}

export interface TestResult {
  readonly name: string
  readonly ok: boolean
  readonly expectations: readonly ExpectationResult[]
}

export interface RunOptions {
  /** False: search by text only. */
  readonly embedder: boolean
  /** The memory that tests without anything to remember are asked of. @throws when there is none */
  readonly memory: () => Promise<MemoryEngine>
  /** Whose memory is meant where a test names no scope. */
  readonly scope: () => Scope
  readonly signal: AbortSignal
}

/** Texts as they are compared: case, accents and line breaks don't matter. */
function plain(text: string): string {
  return fold(text).replaceAll(/\s+/g, ' ').trim()
}

async function ask(
  memory: MemoryEngine,
  scope: Scope,
  { ask: query, within, show, never }: Expectation,
  signal: AbortSignal,
): Promise<ExpectationResult> {
  const format = 'text'
  // A test leaves no trace: what it was shown does not count as used.
  const options = { budget: { tokens: within }, format, touch: false, scope, include: 'shared', signal } as const
  const { text, tokens, omitted } = await memory.context(query, options)
  const items = text === '' ? [] : parseContext(text, format).items
  const seen = plain(items.map(({ when, by, text: said }) => [when, by, said].join(' ')).join(' | '))
  const missing = show.filter((wanted) => !seen.includes(plain(wanted)))
  const shown = never.filter((unwanted) => seen.includes(plain(unwanted)))
  return {
    ask: query,
    ok: missing.length + shown.length === 0,
    tokens,
    missing,
    shown,
    text,
    isTooLong: omitted.some(({ why }) => why === 'budget'),
  }
}

async function askAll(memory: MemoryEngine, scope: Scope, test: ExpectationTest, signal: AbortSignal) {
  const expectations: ExpectationResult[] = []
  for (const expectation of test.expect) expectations.push(await ask(memory, scope, expectation, signal))
  return { name: test.name, ok: expectations.every(({ ok }) => ok), expectations }
}

/** What has something to remember does so in a memory of its own, which ends with the test; the rest asks the memory that is there (XPT-2). */
async function runTest(test: ExpectationTest, { embedder, memory, scope, signal }: RunOptions): Promise<TestResult> {
  const { memories, turns } = test
  if (memories.length + turns.length === 0) return askAll(await memory(), test.scope ?? scope(), test, signal)
  const place = test.scope ?? { userId: 'test' }
  const own = await openMemory({ path: ':memory:', ...(embedder ? {} : { embedder: false as const }) })
  try {
    if (memories.length > 0) await own.addMany(memories, { scope: place, signal })
    if (turns.length > 0) await own.learn(turns as LearnInput, { mode: test.mode, scope: place, signal })
    return await askAll(own, place, test, signal)
  } finally {
    await own.close()
  }
}

/** Runs tests in their order, one at a time. */
export async function* runExpectations(
  tests: readonly ExpectationTest[],
  options: RunOptions,
): AsyncGenerator<TestResult> {
  for (const test of tests) {
    options.signal.throwIfAborted()
    yield await runTest(test, options)
  }
}
