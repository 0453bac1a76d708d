import { expect, test } from 'vitest'
import { parseSkill, skillText } from './skill.ts'

test('[SKL-1] what is not said has its default', () => {
  expect(parseSkill({ trigger: 'fix lint' })).toEqual({
    name: 'fix lint',
    description: 'fix lint',
    trigger: 'fix lint',
    steps: [],
    preconditions: [],
    expectedOutcome: '',
    examples: [],
    version: 1,
    successes: 0,
    failures: 0,
  })
})

test('[SKL-1] steps are texts or calls of tools, preconditions one text or several, times become UTC', () => {
  const steps = ['look', { tool: 'run', arguments: { deep: [1, { a: null }] }, notes: 'slow' }, { tool: 'stop' }]
  const example = { inputs: { file: 'a' }, outputs: {}, occurredAt: '2026-03-01T10:00:00+02:00' }
  const given = {
    trigger: 't',
    steps,
    preconditions: 'clean tree',
    examples: [example, { occurredAt: '2026-01-01T00:00:00Z' }],
  }
  const skill = parseSkill(given)
  expect(skill.steps).toEqual(steps)
  expect(skill.preconditions).toEqual(['clean tree'])
  expect(skill.examples).toEqual([
    { ...example, occurredAt: '2026-03-01T08:00:00.000Z' },
    { inputs: {}, outputs: {}, occurredAt: '2026-01-01T00:00:00.000Z' },
  ])
  example.inputs.file = 'changed'
  expect(skill.examples[0]?.inputs).toEqual({ file: 'a' })
  expect(parseSkill(skill)).toEqual(skill)
})

test.each([
  [{}, 'INVALID_RECORD', /^skill\.trigger: is missing, must be a string/],
  [{ trigger: ' ' }, 'INVALID_RECORD', /^skill\.trigger: must not be empty/],
  [
    { trigger: 't', stpes: [] },
    'UNKNOWN_FIELD',
    /^skill\.stpes: no such field\. .*Known: name, description, trigger, steps/,
  ],
  [{ trigger: 't', steps: [{ tool: 'a', args: {} }] }, 'UNKNOWN_FIELD', /^skill\.steps\[0\]\.args: no such field/],
  [{ trigger: 't', steps: [{}] }, 'INVALID_RECORD', /^skill\.steps\[0\]\.tool: is missing, must be a string/],
  [{ trigger: 't', steps: [7] }, 'INVALID_RECORD', /^skill\.steps\[0\]: must be a string or \{ tool/],
  [{ trigger: 't', steps: [''] }, 'INVALID_RECORD', /^skill\.steps\[0\]: must not be empty/],
  [{ trigger: 't', version: '3' }, 'INVALID_RECORD', /^skill\.version: must be a number/],
  [{ trigger: 't', version: 0 }, 'INVALID_RECORD', /^skill\.version: must be at least 1/],
  [{ trigger: 't', successes: -1 }, 'INVALID_RECORD', /^skill\.successes: must be at least 0/],
  [{ trigger: 'x'.repeat(4097) }, 'INVALID_RECORD', /^skill\.trigger: longer than 4096 characters/],
  [{ trigger: 'x'.repeat(513) }, 'INVALID_RECORD', /^skill\.name: is missing/],
  [
    { trigger: 't', examples: [{ inputs: [], occurredAt: '2026-01-01T00:00:00Z' }] },
    'INVALID_RECORD',
    /inputs: must be an object/,
  ],
  [{ trigger: 't', examples: [{ occurredAt: 'soon' }] }, 'INVALID_TIME', /^skill\.examples\[0\]\.occurredAt/],
  [{ trigger: 't', steps: Array(20).fill('x'.repeat(60_000)) }, 'INVALID_RECORD', /larger than 1 MiB/],
])('[SKL-2] %# is refused by name', (value, code, message) => {
  expect(() => parseSkill(value)).toThrow(message)
  expect(() => parseSkill(value)).toThrow(expect.objectContaining({ code }))
})

test('[SKL-6] trigger and description are searched, each said once', () => {
  expect(skillText(parseSkill({ trigger: 'fix lint' }))).toBe('fix lint')
  expect(skillText(parseSkill({ trigger: 'fix lint', description: 'Repairs style.' }))).toBe('fix lint. Repairs style.')
})
