import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { jsonSchemaOf } from './json-schema.ts'

describe('jsonSchemaOf', () => {
  it('[MOD-14] a model is held to kinds, names and choices; bounds that servers choke on are left to the check', () => {
    const fact = z.object({
      text: z.string().min(1).max(2000),
      kind: z.enum(['semantic', 'episodic']),
      message: z.int().min(0).max(9),
      count: z.int(),
      at: z.iso.datetime().nullable(),
      // Names that are keywords elsewhere.
      format: z.string(),
      pattern: z.string().optional(),
      default: z.string().default('x'),
    })
    const schema = z.strictObject({ facts: z.array(fact).min(1).max(200), by: z.record(z.string(), z.string().max(9)) })
    expect(jsonSchemaOf(schema)).toEqual({
      type: 'object',
      properties: {
        facts: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              text: { type: 'string' },
              kind: { type: 'string', enum: ['semantic', 'episodic'] },
              message: { type: 'integer', minimum: 0, maximum: 9 },
              count: { type: 'integer' },
              at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
              format: { type: 'string' },
              pattern: { type: 'string' },
              default: { type: 'string' },
            },
            required: ['text', 'kind', 'message', 'count', 'at', 'format'],
            additionalProperties: false,
          },
        },
        by: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'string' } },
      },
      required: ['facts', 'by'],
      additionalProperties: false,
    })
    expect(jsonSchemaOf(schema)).toBe(jsonSchemaOf(schema))
  })
})
