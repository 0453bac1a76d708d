import { expect, it } from 'vitest'
import { z } from 'zod'
import { openMemory } from '../../engine/index.ts'
import { createMemoryTools } from '../index.ts'

it('[TOL-1] names, parameters and what is checked are one', async () => {
  const engine = await openMemory({ path: ':memory:', embedder: false })
  const tools = createMemoryTools(engine, { userId: 'ann' })
  expect(tools.map(({ name, readOnly, destructive }) => [name, readOnly, destructive])).toEqual([
    ['remember', false, true],
    ['recall', true, false],
    ['correct', false, true],
    ['forget', false, true],
    ['forget_many', false, true],
    ['summary', true, false],
    ['stats', true, false],
    ['consolidate', false, true],
    ['learn_skill', false, true],
    ['find_skill', true, false],
  ])
  for (const { name, description, parameters } of tools) {
    expect(name).toMatch(/^[a-z_]{1,64}$/)
    expect(description.length).toBeGreaterThan(40)
    expect(parameters).toMatchObject({ type: 'object', additionalProperties: false })
    const properties = parameters.properties as Record<string, { description?: string }>
    for (const [field, schema] of Object.entries(properties))
      expect(schema.description, `${name}.${field}`).toMatch(/\.$/)
    expect(() => z.fromJSONSchema(parameters as never)).not.toThrow()
    expect(JSON.stringify(parameters)).not.toMatch(/scope|userId/i)
  }
  const parametersOf = (name: string) => tools.find((tool) => tool.name === name)?.parameters
  expect(parametersOf('forget_many')).toMatchObject({
    required: ['strategy'],
    properties: { strategy: { enum: ['importance', 'age', 'capacity'] }, mode: { enum: ['archive', 'delete'] } },
  })
  await engine.close()
})
