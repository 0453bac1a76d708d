import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { conformanceCases, hotTierCases } from '../../src/conformance/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const id = '[A-Z]+(?:-[A-Z]+)?-\\d+'

/** Rules in the order of the page. A line that begins like a rule and is none comes back as it is. */
function rulesOfSpec(): { readonly rules: readonly string[]; readonly malformed: readonly string[] } {
  const lines = readFileSync(join(root, 'SPEC.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- **'))
  const shape = new RegExp(`^- \\*\\*(${id})\\*\\* .*\\S$`)
  return {
    rules: lines.flatMap((line) => shape.exec(line)?.[1] ?? []),
    malformed: lines.filter((line) => !shape.test(line)),
  }
}

/** Rules that titles of tests begin with, each with its first title. */
function rulesOfTests(): Map<string, string> {
  const cited = new Map<string, string>()
  const title = new RegExp(`['"\`]\\[(${id})\\]\\s*([^'"\`]*)`, 'g')
  for (const folder of ['src', 'test']) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    for (const name of names.filter((one) => one.endsWith('.test.ts'))) {
      for (const [, rule = '', words = ''] of readFileSync(join(root, folder, name), 'utf8').matchAll(title)) {
        if (!cited.has(rule)) cited.set(rule, words)
      }
    }
  }
  return cited
}

describe('SPEC.md', () => {
  const { rules, malformed } = rulesOfSpec()
  const cited = rulesOfTests()
  for (const { rule, title } of [...conformanceCases, ...hotTierCases]) if (!cited.has(rule)) cited.set(rule, title)

  it('[SPC-1] has every rule that a test or a conformance case cites', () => {
    const missing = [...cited]
      .filter(([rule]) => !rules.includes(rule))
      .map(([rule, title]) => `- **${rule}** ${title}`)
    expect(missing).toEqual([])
  })

  it('[SPC-2] has no rule that nobody cites', () => {
    expect(rules.filter((rule) => !cited.has(rule))).toEqual([])
  })

  it('[SPC-3] has one line and one id for each rule', () => {
    expect(malformed).toEqual([])
    expect(rules.filter((rule, i) => rules.indexOf(rule) !== i)).toEqual([])
    expect(rules.length).toBeGreaterThan(100)
  })
})
