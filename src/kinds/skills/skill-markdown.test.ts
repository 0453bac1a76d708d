import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSkill, type Skill } from './skill.ts'
import { skillFromMarkdown } from './skill-from-markdown.ts'
import { skillToMarkdown } from './skill-to-markdown.ts'

const deploy = parseSkill({
  name: 'deploy-service',
  description: 'Rolls a tested version out.',
  trigger: 'deploy a service to production',
  preconditions: ['The tests pass.'],
  steps: ['Tag the release.', { tool: 'run_pipeline', arguments: { stage: 'live' }, notes: 'takes minutes' }],
  expectedOutcome: 'The new version answers.',
  examples: [{ inputs: { tag: 'v2' }, outputs: { ok: true }, occurredAt: '2026-03-01T10:00:00+01:00' }],
  version: 3,
  successes: 8,
  failures: 1,
})

async function back(skill: Skill): Promise<Skill> {
  const { skill: read, ignored } = await skillFromMarkdown(skillToMarkdown(skill))
  expect(ignored).toEqual([])
  return read
}

describe('a skill as a file', () => {
  test('[SKL-4] is a page that people can read', () => {
    expect(skillToMarkdown(deploy)).toBe(`---
name: "deploy-service"
description: "Rolls a tested version out."
metadata:
  mneme-format: "1"
  mneme-version: "3"
  mneme-successes: "8"
  mneme-failures: "1"
---

## When to use

deploy a service to production

## Preconditions

- The tests pass.

## Steps

1. Tag the release.
2. Use \`run_pipeline\`

   \`\`\`json
   {
     "tool": "run_pipeline",
     "arguments": {
       "stage": "live"
     },
     "notes": "takes minutes"
   }
   \`\`\`

## Expected outcome

The new version answers.

## Examples

\`\`\`json
{
  "inputs": {
    "tag": "v2"
  },
  "outputs": {
    "ok": true
  },
  "occurredAt": "2026-03-01T09:00:00.000Z"
}
\`\`\`
`)
  })

  test('[SKL-4] gives the same skill back', async () => {
    expect(await back(deploy)).toEqual(deploy)
    const bare = parseSkill({ trigger: 'tidy up' })
    expect(await back(bare)).toEqual(bare)
  })

  const awkward = [
    '## Steps',
    '1. one',
    '- two',
    '```json\n"x"\n```',
    '---',
    'a\n\nb',
    ' a',
    'a: b # c',
    'x\r\ny',
    '\u0085',
  ]
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom(...awkward),
    fc.tuple(fc.constantFrom(...awkward), fc.string(), fc.constantFrom(...awkward)).map((parts) => parts.join('\n')),
  )
  const text = line.filter((value) => value.trim() !== '' && value.isWellFormed() && !value.includes('\u0000'))
  const json = fc
    .dictionary(fc.string(), fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text)))
    .map((value) => JSON.parse(JSON.stringify(value)))
  const count = fc.nat(1_000_000_000)
  const skills = fc.record(
    {
      name: text,
      description: text,
      trigger: text,
      steps: fc.array(
        fc.oneof(text, fc.record({ tool: text, arguments: json, notes: text }, { requiredKeys: ['tool'] })),
      ),
      preconditions: fc.array(text),
      expectedOutcome: fc.oneof(text, fc.constant('')),
      examples: fc.array(fc.record({ inputs: json, outputs: json, occurredAt: fc.constant('2026-03-01T09:00:00Z') })),
      version: fc.integer({ min: 1, max: 1_000_000_000 }),
      successes: count,
      failures: count,
    },
    { requiredKeys: ['trigger'] },
  )

  test('[SKL-4] any skill comes back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(skills, async (given) => {
        const skill = parseSkill(given)
        expect(await back(skill)).toEqual(skill)
      }),
      { numRuns: 100 },
    )
  })
})

describe('a file of another program', () => {
  const page = `---
name: pdf
description: >-
  Extract text and tables from PDF files, fill forms.
  Use when the user mentions PDFs.
license: MIT
metadata:
  author: somebody
  version: "1.0"
---

# PDF

## Steps

1. Read the file.

\`\`\`python
print("## not a heading of ours")
\`\`\`
`

  test('[SKL-5] has its description as trigger and its body as the one step', async () => {
    const { skill, ignored } = await skillFromMarkdown(page)
    const description = 'Extract text and tables from PDF files, fill forms. Use when the user mentions PDFs.'
    expect(skill).toMatchObject({ name: 'pdf', description, trigger: description, version: 1, preconditions: [] })
    expect(skill.steps).toEqual([page.slice(page.indexOf('# PDF')).trim()])
    expect(ignored).toEqual(['license', 'metadata.author', 'metadata.version'])
    expect(await back(skill)).toEqual(skill)
    expect(skillToMarkdown(skill).endsWith(page.slice(page.indexOf('# PDF')))).toBe(true)
  })

  test('[SKL-5] of another system, and without a body', async () => {
    const { skill } = await skillFromMarkdown('\uFEFF---\r\nname: a\r\ndescription: b\r\n---\r\n')
    expect(skill).toMatchObject({ name: 'a', description: 'b', trigger: 'b', steps: [] })
    expect((await skillFromMarkdown('---\r\nname: a\r\ndescription: b\r\n---\r\nx\r\ny\r\n')).skill.steps).toEqual([
      'x\ny',
    ])
  })

  test('[SKL-5] a section that was added to ours is kept as a step', async () => {
    const { skill } = await skillFromMarkdown(`${skillToMarkdown(deploy)}\n## Mind\n\nNever on a Friday.\n`)
    expect(skill).toEqual({ ...deploy, steps: [...deploy.steps, '## Mind\n\nNever on a Friday.'] })
  })

  test('[SKL-5] nothing that a file says is printed', async () => {
    const warned: Error[] = []
    const listen = (warning: Error) => warned.push(warning)
    process.on('warning', listen)
    await skillFromMarkdown('---\nname: !secret a\ndescription: b\n---\n')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', listen)
    expect(warned).toEqual([])
  })

  test.each([
    ['# No front matter', /no front matter/],
    ['---\nname: a\n---\n', /SKILL\.md\.description: is missing/],
    ['---\ndescription: a\n---\n', /SKILL\.md\.name: is missing/],
    ['---\nname: [\n---\n', /no YAML/],
    [`---\nname: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n---\n`, /nested too deep/],
    ['---\nname: 7\ndescription: b\n---\n', /SKILL\.md\.name: must be a string/],
    ['---\n- a\n---\n', /must have name/],
    ['---\nname: a\ndescription: b\nmetadata:\n  mneme-version: x\n---\n', /mneme-version: must be a whole number/],
    ['---\na: &x 1\nname: *x\n---\n', /no YAML/],
    ['---\nname: a\ndescription: b\nmetadata:\n  mneme-format: "1"\n---\n## Examples\n\n```json\n{\n```\n', /JSON/],
  ])('[SKL-5] %j is refused with the place of the trouble', async (text, message) => {
    await expect(skillFromMarkdown(text)).rejects.toThrow(message)
    await expect(skillFromMarkdown(text)).rejects.toMatchObject({ code: 'INVALID_RECORD' })
  })
})
