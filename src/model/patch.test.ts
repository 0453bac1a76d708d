import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/fixtures/reference-runs.ts'
import { draft } from '../testing/index.ts'
import { applyPatch, type JsonObject, type JsonValue, parsePatch } from './index.ts'

const base = draft({
  id: 'r1',
  content: 'Ann plays the cello',
  key: 'instrument',
  data: { a: 1 },
  metadata: { city: 'Bremen', empty: null, nested: { a: 1 } },
  tags: ['music'],
  eventTime: { start: '2026-05-08T11:56:00.000Z' },
  validFrom: '2026-05-08T00:00:00.000Z',
})
const patched = (patch: unknown, mode?: 'merge' | 'replace') => applyPatch(base, parsePatch(patch), mode)

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor')
const metadata = fc
  .array(fc.tuple(key, fc.constantFrom<JsonValue>(null, 1, 'x', { deep: null }, [null])), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries) as JsonObject)

describe('patches', () => {
  it('[REC-11] change what they name and nothing else', () => {
    expect(patched({})).toEqual(base)
    expect(patched({ importance: 0.9 })).toEqual({ ...base, importance: 0.9 })
    expect(patched({ tags: ['x'], content: 'Ann plays the viola' })).toEqual({
      ...base,
      tags: ['x'],
      content: 'Ann plays the viola',
    })
    expect(patched({ key: undefined, importance: undefined })).toEqual(base)
  })

  it('[REC-11] metadata merges per top-level key, and null removes one', () => {
    fc.assert(
      fc.property(metadata, metadata, (before, patch) => {
        const expected = new Map(Object.entries(before))
        for (const [name, item] of Object.entries(patch)) {
          if (item === null) expected.delete(name)
          else expected.set(name, item)
        }
        const merged = applyPatch({ ...base, metadata: before }, parsePatch({ metadata: patch })).metadata
        expect(new Map(Object.entries(merged))).toEqual(expected)
        expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
        const replaced = applyPatch({ ...base, metadata: before }, parsePatch({ metadata: patch }), 'replace').metadata
        expect(new Map(Object.entries(replaced))).toEqual(new Map(Object.entries(patch)))
      }),
      runs(1000),
    )
  })

  it('[REC-11] a null that is stored stays until a patch names it', () => {
    expect(patched({ metadata: { city: 'Kiel' } }).metadata).toEqual({ city: 'Kiel', empty: null, nested: { a: 1 } })
    expect(patched({ metadata: { nested: { b: 2 } } }).metadata).toMatchObject({ nested: { b: 2 } })
    expect(patched({ metadata: { empty: null } }).metadata).not.toHaveProperty('empty')
  })

  it('[REC-11] null removes optional fields, no others', () => {
    const bare = patched({ data: null, key: null, eventTime: null, validFrom: null, validTo: null, expiresAt: null })
    for (const field of ['data', 'key', 'eventTime', 'validFrom', 'validTo', 'expiresAt']) {
      expect(bare).not.toHaveProperty(field)
    }
    for (const field of ['content', 'kind', 'tags', 'metadata', 'importance', 'source', 'trust', 'pinned', 'status']) {
      expect(() => patched({ [field]: null }), field).toThrowError(expect.objectContaining({ code: 'INVALID_RECORD' }))
    }
  })

  it('[REC-11] the same checks as for a new memory, and nothing that only a commit gives', () => {
    const bad: [object, string][] = [
      [{ importance: 2 }, 'INVALID_RECORD'],
      [{ content: ' ' }, 'INVALID_RECORD'],
      [{ metadata: { a: Number.NaN } }, 'INVALID_RECORD'],
      [{ validTo: '2026-05-07' }, 'INVALID_TIME'],
      [{ validTo: '2026-05-07T00:00:00Z' }, 'INVALID_TIME'],
      [{ id: 'other' }, 'UNKNOWN_FIELD'],
      [{ scope: { userId: 'bob' } }, 'UNKNOWN_FIELD'],
      [{ version: 9 }, 'UNKNOWN_FIELD'],
      [{ accessCount: 9 }, 'UNKNOWN_FIELD'],
      [{ createdAt: '2026-05-07T00:00:00Z' }, 'UNKNOWN_FIELD'],
      [JSON.parse('{"__proto__":{"importance":1}}'), 'UNKNOWN_FIELD'],
    ]
    for (const [patch, code] of bad) expect(() => patched(patch)).toThrowError(expect.objectContaining({ code }))
    for (const patch of [null, undefined, 'x', 5, ['x']]) {
      expect(() => patched(patch)).toThrowError(expect.objectContaining({ code: 'INVALID_RECORD' }))
    }
  })

  it('[REC-11] a new source brings its trust along, unless that is given too', () => {
    expect(patched({ source: { type: 'web' } }).trust).toBe('untrusted')
    expect(patched({ source: { type: 'user', actor: 'Ann' } }).trust).toBe('trusted')
    expect(patched({ source: { type: 'web' }, trust: 'trusted' }).trust).toBe('trusted')
  })

  it('[REC-4] record and patch are only read', () => {
    const before = structuredClone(base)
    const patch = { metadata: { city: null, list: [1] }, tags: ['x'] }
    const next = patched(patch)
    patch.metadata.list.push(2)
    patch.tags.push('y')
    expect(next).toMatchObject({ tags: ['x'], metadata: { list: [1] } })
    expect(base).toEqual(before)
  })
})
