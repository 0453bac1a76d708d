import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runBench } from './run-bench.ts'

const lines = [
  { name: 'unclog', trigger: 'unclog a drain', description: 'Free a blocked sink or shower.', category: 'home' },
  { name: 'bread', description: 'Bake a loaf with yeast and flour.', steps: ['Knead.', { tool: 'oven' }] },
  { query: 'the shower does not drain', expected: 'unclog', group: 'a' },
  { query: 'a loaf of rye', expected: 'bread', group: 'b' },
  { query: 'who won the world cup', expected: null, group: 'b' },
]

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function bench(text: string, ...args: string[]) {
  const path = join(folder, 'skills.jsonl')
  await writeFile(path, text)
  const written = { out: '', err: '' }
  const code = await runBench(['skills', path, ...args], {
    stdout: { write: (more) => (written.out += more) },
    stderr: { write: (more) => (written.err += more) },
    env: {},
  })
  return { code, ...written }
}

const file = lines.map((line) => JSON.stringify(line)).join('\n')

test('[BEN-16] needs are matched with the skills, by group, beside plain BM25', async () => {
  const { code, out } = await bench(file, '-o', 'json', '--min-score', '0.2')
  expect(code).toBe(0)
  const { skills, mneme, plain } = JSON.parse(out)
  expect(skills).toBe(2)
  expect(mneme).toEqual([
    { group: 'all', needs: 2, first: 1, amongThree: 1, falseNone: 0, unfit: 1, trueNone: 1 },
    { group: 'a', needs: 1, first: 1, amongThree: 1, falseNone: 0, unfit: 0, trueNone: null },
    { group: 'b', needs: 1, first: 1, amongThree: 1, falseNone: 0, unfit: 1, trueNone: 1 },
  ])
  expect(plain[0]).toMatchObject({ group: 'all', needs: 2, first: 1 })
  const text = await bench(file)
  expect(text.out).toMatch(/^2 skills;/)
  expect(text.out).toContain('plain BM25')
})

test('[BEN-16] a need answered with none has missed its skill, and a bound that is not reached is told', async () => {
  const { code, out, err } = await bench(file, '-o', 'json', '--min-score', '1', '--min-r1', '0.5', '--min-none', '1')
  expect(JSON.parse(out).mneme[0]).toMatchObject({ first: 0, amongThree: 0, falseNone: 1, trueNone: 1 })
  expect([code, err]).toEqual([1, 'R@1 is 0.0000, below 0.5.\n'])
})

test.each([
  ['{', /line 1: is no JSON/],
  ['{"query":"x","expected":"gone"}', /line 1: expects a skill/],
  ['{"query":"x"}', /line 1\.expected/],
  ['{"name":"a"}', /line 1\.trigger/],
  ['{"name":"a","trigger":"b"}\n\n{"name":"a","trigger":"c"}', /line 3: a skill of this name/],
  ['', /file: has no skills/],
])('[BEN-17] the file %j is refused with the line', async (text, message) => {
  const { code, err } = await bench(text)
  expect([code, err]).toEqual([2, expect.stringMatching(message)])
})

test('[BEN-17] what can not be used is refused, and --help says what can', async () => {
  expect((await bench(file, '--min-score', '2')).code).toBe(2)
  expect((await bench(file, '--threshold', '2')).code).toBe(2)
  expect((await bench(file, 'more')).code).toBe(2)
  expect((await bench(file, '--help')).out).toContain('mneme bench skills FILE')
})
