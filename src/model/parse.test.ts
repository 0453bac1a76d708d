import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MnemeError } from '../errors/index.ts'
import { parseFilter, parseWith } from './index.ts'

const schema = z.strictObject({
  query: z.string(),
  limit: z.number().min(1).max(1000).optional(),
  status: z
    .union([z.enum(['live', 'invalid']), z.literal('any'), z.array(z.enum(['live', 'invalid'])).min(1)])
    .optional(),
  scope: z.strictObject({ userId: z.string().min(1) }).optional(),
  memory: z.unknown(),
  below: z.union([z.literal(true), z.array(z.string())]).optional(),
  kinds: z.record(z.string(), z.strictObject({ ttlDays: z.number() })).optional(),
})

function messageOf(value: unknown, code?: 'BAD_CONFIG'): string {
  try {
    parseWith(schema, value, 'search', code)
  } catch (error) {
    if (MnemeError.is(error)) return `${error.name} ${error.code} ${error.message}`
  }
  return 'accepted'
}

describe('messages about input', () => {
  it('[OPN-8] say what a field must be, in words', () => {
    expect(messageOf(null)).toBe('InputError INVALID_ARGUMENT search: must be an object.')
    expect(messageOf({ query: 5, memory: 1 })).toBe('InputError INVALID_ARGUMENT search.query: must be a string.')
    expect(messageOf({ memory: 1 })).toBe('InputError INVALID_ARGUMENT search.query: is missing, must be a string.')
    expect(messageOf({ query: '', memory: 1, below: ['a', 7] })).toBe(
      'InputError INVALID_ARGUMENT search.below[1]: must be a string.',
    )
    expect(messageOf({ query: '', memory: 1, below: 'a' })).toContain('search.below: must be true, or a list.')
    expect(messageOf({ query: '', limit: 5000, memory: 1 })).toContain('search.limit: must be at most 1000.')
    expect(messageOf({ query: '', limit: 0, memory: 1 })).toContain('search.limit: must be at least 1.')
    expect(messageOf({ query: '', scope: { userId: '' }, memory: 1 })).toContain(
      'search.scope.userId: must not be empty.',
    )
    expect(messageOf({ query: '', scope: 'hunter2', memory: 1 })).toContain(
      'search.scope: must be an object with fields of { userId }.',
    )
    expect(messageOf({ query: '', kinds: 7, memory: 1 })).toContain('search.kinds: must be an object.')
    expect(messageOf({ query: '', status: 'all', memory: 1 })).toContain(
      'search.status: must be one of live, invalid, any, or a list of them.',
    )
  })

  it('[OPN-9] name what was likely meant where a field does not exist', () => {
    expect(messageOf({ query: '', memory: 1, topK: 5 })).toContain(
      'search.topK: no such field. Did you mean limit? Known: query, limit',
    )
    expect(messageOf({ query: '', memory: 1, statsu: 'live' })).toContain('Did you mean status?')
    expect(messageOf({ query: '', memory: 1, userId: 'ann' })).toContain('Did you mean scope: { userId }?')
    expect(messageOf({ query: '', memory: 1, scope: { user: 'ann' } })).toContain(
      'search.scope.user: no such field. Did you mean userId?',
    )
    expect(messageOf({ query: '', memory: 1, zzzzzzz: 1 })).toContain('Check the spelling.')
    expect(messageOf({ query: '', memory: 1, tags: [] })).toContain('Did you mean memory: { content, tags }?')
    expect(messageOf({ query: '', memory: 1, session: 's' })).toContain('Did you mean scope: { sessionId }?')
    expect(messageOf({ query: '', memory: 1, kinds: { mine: { ttl: 5 } } })).toContain(
      'search.kinds.mine.ttl: no such field. Did you mean ttlDays? Known: ttlDays.',
    )
  })

  it('[OPN-10] come in the class that their code belongs to', () => {
    expect(messageOf(null, 'BAD_CONFIG')).toMatch(/^SetupError BAD_CONFIG/)
  })

  it('[FLT-13] tell a misspelt connective from a metadata field', () => {
    for (const filter of [{ or: [{ a: 1 }] }, { and: [{ a: 1 }] }, { not: { a: 1 } }, { Or: [] }]) {
      expect(() => parseFilter(filter)).toThrow(/looks like (OR|AND|NOT)/)
    }
    expect(() => parseFilter({ or: { eq: ['a'] }, and: 'x', not: true })).not.toThrow()
  })
})
