import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/fixtures/reference-runs.ts'
import {
  anyScope,
  sameScope,
  scopePair,
  scopeTriple,
  seenFrom,
  sharedWith,
} from '../../test/fixtures/reference-scope.ts'
import { hostileLabels } from '../conformance/cases/hostile-labels.ts'
import {
  allScopes,
  anyOf,
  exactly,
  isWithin,
  matchesScope,
  maxScopeValueLength,
  ownerKey,
  parseScope,
  type Scope,
  type ScopeFilter,
  scopeDepth,
  scopeFromKey,
  scopeKey,
  within,
  withShared,
} from './index.ts'

const flat = ['appId', 'userId', 'agentId', 'sessionId'] as const

/** Everything that a refusal shows. */
function thrownBy(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    return `${(error as Error).message} ${JSON.stringify(error)}`
  }
  throw new Error('nothing was thrown')
}

describe('which scopes a filter lets through', () => {
  it('[SCO-2] a read sees the scope given and everything finer, nothing else', () => {
    fc.assert(
      fc.property(scopePair, ([given, record]) => {
        expect(matchesScope(within(given), record)).toBe(seenFrom(given, record))
        expect(isWithin(record, given)).toBe(seenFrom(given, record))
      }),
      runs(3000),
    )
  })

  it('[SCO-2] an exact read sees the scope itself only', () => {
    fc.assert(
      fc.property(scopePair, ([given, record]) => {
        expect(matchesScope(exactly(given), record)).toBe(sameScope(given, record))
        expect(matchesScope(exactly(given), given)).toBe(true)
      }),
      runs(2000),
    )
  })

  it("[SCO-6] shared adds the enclosing scopes of the same owner, and nobody else's", () => {
    fc.assert(
      fc.property(scopePair, ([given, record]) => {
        expect(matchesScope(withShared(given), record)).toBe(seenFrom(given, record) || sharedWith(given, record))
      }),
      runs(3000),
    )
  })

  it('[SCO-6] with a ceiling, shared reaches nothing outside of it', () => {
    fc.assert(
      fc.property(scopeTriple, ([ceiling, finer, record]) => {
        const given = seenFrom(ceiling, finer) ? finer : ceiling
        const seen = matchesScope(withShared(given, ceiling), record)
        expect(seen).toBe((seenFrom(given, record) || sharedWith(given, record)) && seenFrom(ceiling, record))
      }),
      runs(3000),
    )
  })

  it('[SCO-2] any of several filters is their union, of none nothing, with all everything', () => {
    const filter = anyScope.chain((value) =>
      fc.constantFrom<ScopeFilter>(within(value), exactly(value), withShared(value), allScopes()),
    )
    fc.assert(
      fc.property(fc.array(filter, { maxLength: 4 }), anyScope, (filters, record) => {
        expect(matchesScope(anyOf(filters), record)).toBe(filters.some((one) => matchesScope(one, record)))
      }),
      runs(1000),
    )
    expect(matchesScope(anyOf([]), { userId: 'ann' })).toBe(false)
  })

  it('[SCO-2] namespaces match by whole segments', () => {
    const acme = within({ namespace: ['acme'] })
    expect(matchesScope(acme, { namespace: ['acme'] })).toBe(true)
    expect(matchesScope(acme, { namespace: ['acme', 'corp'] })).toBe(true)
    for (const other of [['acme-corp'], ['acme', 'corp'].reverse(), ['ACME'], ['acme%'], ['acm']]) {
      expect(matchesScope(acme, { namespace: other }), JSON.stringify(other)).toBe(false)
    }
    expect(matchesScope(within({ namespace: ['a/b'] }), { namespace: ['a', 'b'] })).toBe(false)
  })

  it('[SCO-4] hostile labels equal themselves only, in every dimension', () => {
    for (const dimension of [...flat, 'namespace'] as const) {
      const make = (value: string) => ({ [dimension]: dimension === 'namespace' ? [value] : value }) as Scope
      for (const one of hostileLabels) {
        const seen = hostileLabels.filter((other) => matchesScope(within(parseScope(make(one))), make(other)))
        expect(seen).toEqual([one])
      }
    }
  })
})

describe('the order of scopes', () => {
  it('[SCO-2] being within is reflexive, antisymmetric and transitive', () => {
    fc.assert(
      fc.property(scopeTriple, ([a, b, c]) => {
        expect(isWithin(a, a)).toBe(true)
        if (isWithin(a, b) && isWithin(b, a)) expect(scopeKey(a)).toBe(scopeKey(b))
        if (isWithin(a, b) && isWithin(b, c)) expect(isWithin(a, c)).toBe(true)
      }),
      runs(3000),
    )
  })

  it('[SCO-2] the finer of two different scopes is the deeper one', () => {
    fc.assert(
      fc.property(scopePair, ([a, b]) => {
        if (isWithin(a, b) && !sameScope(a, b)) expect(scopeDepth(a)).toBeGreaterThan(scopeDepth(b))
      }),
    )
  })

  it('[SCO-9] keys are equal for equal scopes and for no others, and give the scope back', () => {
    fc.assert(
      fc.property(scopePair, ([a, b]) => {
        expect(scopeKey(a) === scopeKey(b)).toBe(sameScope(a, b))
        expect(ownerKey(a) === ownerKey(b)).toBe(a.appId === b.appId && a.userId === b.userId)
        expect(sameScope(scopeFromKey(scopeKey(a)), a)).toBe(true)
        expect(scopeKey(scopeFromKey(scopeKey(a)))).toBe(scopeKey(a))
      }),
      runs(3000),
    )
  })

  it('[SCO-9] labels that look like parts of a key stay labels', () => {
    const scopes: Scope[] = [
      { appId: 'null' },
      { userId: 'null' },
      { appId: 'a', userId: 'b' },
      { appId: 'a","b' },
      { appId: 'a', namespace: ['b'] },
      { appId: 'a', namespace: ['b', 'c'] },
      { appId: 'a', namespace: ['b","c'] },
      { appId: 'a', namespace: ['b,c'] },
      { sessionId: 'a', namespace: ['b'] },
    ]
    expect(new Set(scopes.map(scopeKey)).size).toBe(scopes.length)
  })
})

describe('parsing a scope', () => {
  it('[SCO-4] any non-empty strings are a scope, kept as they are', () => {
    fc.assert(
      fc.property(anyScope, (value) => {
        const before = structuredClone(value)
        const parsed = parseScope(value)
        expect(sameScope(parsed, value)).toBe(true)
        expect(value).toEqual(before)
        expect(parseScope(parsed)).toEqual(parsed)
      }),
      runs(1000),
    )
  })

  it("[SCO-10] the caller's object stays the caller's", () => {
    const namespace = ['acme']
    const given = Object.freeze({ userId: 'ann', namespace: Object.freeze(namespace) as string[] })
    const parsed = parseScope(given)
    expect(parsed).toEqual({ userId: 'ann', namespace: ['acme'] })
    expect(parsed.namespace).not.toBe(namespace)
  })

  it('[SCO-10] dimensions come in one order, an empty namespace is none', () => {
    const parsed = parseScope({ namespace: [], sessionId: 's', appId: 'a', userId: undefined })
    expect(Object.keys(parsed)).toEqual(['appId', 'sessionId'])
    expect(scopeKey(parsed)).toBe(scopeKey({ sessionId: 's', appId: 'a' }))
  })

  it('[SCO-1] no dimension at all is no scope', () => {
    for (const nothing of [
      undefined,
      null,
      {},
      { userId: undefined },
      { namespace: [] },
      new Map([['userId', 'ann']]),
    ]) {
      expect(() => parseScope(nothing)).toThrowError(expect.objectContaining({ code: 'SCOPE_REQUIRED' }))
    }
  })

  it('[SCO-10] junk is refused, naming the place and never the value', () => {
    const hole = ['a', 'b']
    delete hole[0]
    const junk: readonly [unknown, string, string][] = [
      ['ann', 'INVALID_SCOPE', 'scope'],
      [7, 'INVALID_SCOPE', 'scope'],
      [['ann'], 'INVALID_SCOPE', 'scope'],
      [{ userId: '' }, 'INVALID_SCOPE', 'scope.userId'],
      [{ userId: null }, 'INVALID_SCOPE', 'scope.userId'],
      [{ agentId: 7 }, 'INVALID_SCOPE', 'scope.agentId'],
      [{ appId: ['a'] }, 'INVALID_SCOPE', 'scope.appId'],
      [{ sessionId: { $ne: '' } }, 'INVALID_SCOPE', 'scope.sessionId'],
      [{ namespace: 'acme' }, 'INVALID_SCOPE', 'scope.namespace'],
      [{ namespace: ['acme', ''] }, 'INVALID_SCOPE', 'scope.namespace[1]'],
      [{ namespace: [['acme']] }, 'INVALID_SCOPE', 'scope.namespace[0]'],
      [{ namespace: hole }, 'INVALID_SCOPE', 'scope.namespace[0]'],
      [{ namespace: Array(65).fill('a') }, 'INVALID_SCOPE', 'scope.namespace'],
      [{ userId: 'x'.repeat(maxScopeValueLength + 1) }, 'INVALID_SCOPE', 'scope.userId'],
      [{ user: 'ann' }, 'UNKNOWN_FIELD', 'scope.user'],
      [{ userId: 'ann', user_id: 'bob' }, 'UNKNOWN_FIELD', 'scope.user_id'],
      [JSON.parse('{"userId":"ann","__proto__":{"agentId":"x"}}'), 'UNKNOWN_FIELD', 'scope.__proto__'],
    ]
    for (const [value, code, place] of junk) {
      const message = expect.stringContaining(`${place}:`)
      expect(() => parseScope(value), place).toThrowError(expect.objectContaining({ code, message }))
    }
  })

  it('[SCO-10] what is refused is not repeated', () => {
    const marker = 'S3cr3tM4rker'
    for (const value of [
      marker,
      [marker],
      { userId: [marker] },
      { namespace: marker },
      { namespace: [{ a: marker }] },
    ]) {
      expect(thrownBy(() => parseScope(value))).not.toContain(marker)
    }
  })
})
