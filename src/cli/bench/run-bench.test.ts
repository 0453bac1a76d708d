import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runBench } from './run-bench.ts'

const file = {
  users: [
    {
      id: 'u1',
      timezone: 'UTC',
      sessions: [
        {
          at: '2026-03-01T20:15:00Z',
          turns: [
            { id: 's1:1', role: 'user', text: 'My sister Berit keeps eleven alpacas near Tromsø.' },
            { id: 's1:2', role: 'assistant', text: 'Alpacas are sheared once a year.' },
          ],
        },
      ],
      questions: [
        { category: 'fact', question: 'How many alpacas does Berit have?', evidence: ['s1:1'] },
        { category: 'abstain', question: 'Which bank holds the mortgage?', evidence: [] },
      ],
    },
    {
      id: 'u2',
      timezone: 'UTC',
      sessions: [{ at: '2026-03-01T20:15:00Z', turns: [{ id: 's1:1', role: 'user', text: 'I repair accordions.' }] }],
      questions: [{ category: 'fact', question: 'Which instrument do I repair?', evidence: ['s1:1', 's9:9'] }],
    },
  ],
}

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-test-'))
  path = join(folder, 'set.json')
  await writeFile(path, JSON.stringify(file))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function bench(...args: string[]) {
  const written = { out: '', err: '' }
  const code = await runBench(args, {
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    env: {},
  })
  return { code, ...written }
}

/** What does not depend on how fast the machine is. */
function figures(out: string) {
  const { recordsPerSecond, medianMilliseconds, p95Milliseconds, ...rest } = JSON.parse(out)
  expect(Math.min(recordsPerSecond, medianMilliseconds, p95Milliseconds)).toBeGreaterThan(0)
  return rest
}

test('[BEN-3] a file is remembered, its questions are asked and the figures printed as JSON', async () => {
  const { code, out, err } = await bench('assistant', path, '--store', 'memory', '-o', 'json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(figures(out)).toMatchObject({
    set: 'assistant',
    records: 3,
    unanswerable: 1,
    store: 'memory',
    together: false,
    quality: { all: { questions: 2, 'R@1': 0.75, 'R@10': 0.75, 'MRR@10': 1 }, stale: null },
  })
})

test('[BEN-5] below a bound that was given the exit code is 1, else 0', async () => {
  const run = (...bounds: string[]) => bench('assistant', path, '--store', 'memory', ...bounds)
  expect(await run('--min-r10', '0.75', '--min-mrr', '1')).toMatchObject({ code: 0, err: '' })
  const short = await run('--min-r10', '0.76')
  expect(short.code).toBe(1)
  expect(short.err).toBe('R@10 is 0.7500, below 0.76.\n')
})

test('[BEN-8] one store with a scope each gives the figures of a store each, and files leave nothing behind', async () => {
  const leftovers = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('mneme-bench-'))
  const before = new Set(await leftovers())
  const apart = figures((await bench('assistant', path, '-o', 'json', '--baseline')).out)
  const together = figures((await bench('assistant', path, '-o', 'json', '--baseline', '--together')).out)
  expect(together).toEqual({ ...apart, together: true })
  expect(apart.store).toBe('sqlite')
  expect(apart.plain.all.questions).toBe(2)
  expect((await leftovers()).filter((name) => !before.has(name))).toEqual([])
})

test('[BEN-9] as text there is a line for every category and one that sums up last', async () => {
  const { out } = await bench('assistant', path, '--store', 'memory', '--baseline', '--limit-questions', '1')
  expect(out).toMatch(/^fact +2 +0\.750/m)
  expect(out).toContain('plain BM25')
  expect(out.trimEnd().split('\n').at(-1)).toMatch(/^R@10 0\.750, R@1 0\.750, MRR@10 1\.000; /)
})

test('[BEN-10] what can not be used is refused with the exit code of bad input, and help is help', async () => {
  expect(await bench('assistant', join(folder, 'absent.json'))).toMatchObject({ code: 2, out: '' })
  expect(await bench('trivia', path)).toMatchObject({ code: 2, out: '' })
  expect(await bench('locomo', path)).toMatchObject({ code: 2, out: '' })
  expect(await bench('assistant', path, '--stor', 'memory')).toMatchObject({ code: 2, out: '' })
  expect(await bench('assistant', path, '--min-r10', '82')).toMatchObject({ code: 2, out: '' })
  expect(await bench('assistant', path, 'more')).toMatchObject({ code: 2, out: '' })
  const help = await bench('--help')
  expect(help.code).toBe(0)
  expect(help.out).toContain('mneme bench locomo FILE')
})
