import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTool, spoken, toolFromPayload } from './tool.ts'

const weather = {
  name: 'get_weather',
  description: 'Tells the weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' }, days: true }, required: ['city'] },
  returns: { type: 'string' },
  implementation: 'return fetch(city)',
  settings: { packages: ['http'], seconds: 5 },
}

describe('a tool', () => {
  it('[TSP-1] needs a name and nothing else; a checked one is a copy with every default filled in', () => {
    expect(parseTool({ name: 'kettle' })).toEqual({
      name: 'kettle',
      description: 'kettle',
      parameters: { type: 'object', properties: {} },
      settings: {},
      version: 1,
      successes: 0,
      failures: 0,
    })
    const given = structuredClone(weather)
    const tool = parseTool(given)
    given.parameters.required.push('days')
    given.settings.packages.pop()
    expect(tool).toEqual({ ...weather, version: 1, successes: 0, failures: 0 })
    expect(parseTool(tool)).toEqual(tool)
  })

  it('[TSP-1] what is no tool is refused by the field', () => {
    const refused: readonly [object, string][] = [
      [{}, 'tool.name'],
      [{ name: ' ' }, 'tool.name'],
      [{ name: 'a\u0000' }, 'tool.name'],
      [{ name: 'a', trigger: 'b' }, 'trigger'],
      [{ name: 'a', parameters: 'b' }, 'tool.parameters'],
      [{ name: 'a', parameters: { type: 'array' } }, 'tool.parameters.type'],
      [{ name: 'a', parameters: { properties: ['b'] } }, 'tool.parameters.properties'],
      [{ name: 'a', parameters: { properties: { b: 'string' } } }, 'tool.parameters.properties["b"]'],
      [{ name: 'a', parameters: { required: 'b' } }, 'tool.parameters.required'],
      [{ name: 'a', settings: { at: new Date() } }, 'tool.settings'],
      [{ name: 'a', version: 0 }, 'tool.version'],
      [{ name: 'a', implementation: 'x'.repeat(1_048_576) }, '1 MiB'],
    ]
    for (const [given, path] of refused) {
      expect(() => parseTool(given), path).toThrow(
        expect.objectContaining({ name: 'InputError', message: expect.stringContaining(path) }),
      )
    }
  })

  it('[TSP-2] a payload may say more than a tool has, and be named by its key; what it says of a tool has its form', () => {
    expect(toolFromPayload({ only_tool_fields: true, name: 'x' }, undefined)?.name).toBe('x')
    expect(toolFromPayload({ implementation: 'y' }, 'kettle')).toMatchObject({ name: 'kettle', implementation: 'y' })
    expect(toolFromPayload({ implementation: 'y' }, undefined)).toBeNull()
    expect(() => toolFromPayload({ name: 5 }, 'kettle', 'memory.data')).toThrow('memory.data.name')
    expect(() => toolFromPayload(['x'], 'kettle', 'memory.data')).toThrow('memory.data')
  })

  it('[TSP-1] any JSON is a tool or is refused, and a tool comes back the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 1 }), (parameters, name) => {
        try {
          const tool = parseTool({ name, parameters })
          expect(parseTool(structuredClone(tool))).toEqual(tool)
        } catch (error) {
          expect(error).toMatchObject({ name: 'InputError' })
        }
      }),
    )
  })

  it('[TSP-3] a name is read as words', () => {
    expect(['extract_dois', 'extractDois', 'web.search-v2'].map(spoken)).toEqual([
      'extract dois',
      'extract Dois',
      'web search v2',
    ])
  })
})
