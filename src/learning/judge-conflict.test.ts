import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conflictPolicies } from '../kinds/index.ts'
import { trustLevels } from '../model/index.ts'
import { judgeConflict, judgeNamed, mayReplace, type Side } from './judge-conflict.ts'

const side = (more: Partial<Side> = {}): Side => ({ trust: 'trusted', confidence: 1, at: 0, ...more })

const anySide = fc.record({
  trust: fc.constantFrom(...trustLevels),
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  confirmations: fc.integer({ min: 1, max: 9 }),
  at: fc.integer({ min: 0, max: 3 }),
})

describe('judgeConflict', () => {
  it('[CFL-2] newest: what was said later wins, of the same moment what came later; what was said earlier changes nothing', () => {
    expect(judgeConflict('newest', side({ at: 1 }), side({ at: 2 }))).toBe('supersede')
    expect(judgeConflict('newest', side({ at: 2 }), side({ at: 2 }))).toBe('supersede')
    expect(judgeConflict('newest', side({ at: 2 }), side({ at: 1 }))).toBe('keep')
  })

  it('[CFL-2] evidence: confidence times confirmations; with less it waits, with as much the later wins', () => {
    const twice = side({ confidence: 0.5, confirmations: 2, at: 5 })
    expect(judgeConflict('evidence', twice, side({ confidence: 0.9, at: 6 }))).toBe('conflict')
    expect(judgeConflict('evidence', twice, side({ confidence: 0.4, confirmations: 3, at: 1 }))).toBe('supersede')
    expect(judgeConflict('evidence', twice, side({ at: 6 }))).toBe('supersede')
    expect(judgeConflict('evidence', twice, side({ at: 4 }))).toBe('keep')
    // 0.1 · 3 is not 0.3 in floating point.
    expect(
      judgeConflict('evidence', side({ confidence: 0.3, at: 1 }), side({ confidence: 0.1, confirmations: 3 })),
    ).toBe('keep')
  })

  it('[CFL-2] trusted: the more trusted wins, the less trusted waits, equals go by time', () => {
    const inferred = side({ trust: 'inferred', at: 9 })
    expect(judgeConflict('trusted', inferred, side())).toBe('supersede')
    expect(judgeConflict('trusted', inferred, side({ trust: 'untrusted', at: 10 }))).toBe('conflict')
    expect(judgeConflict('trusted', inferred, side({ trust: 'inferred', at: 10 }))).toBe('supersede')
    expect(judgeConflict('trusted', inferred, side({ trust: 'inferred', at: 8 }))).toBe('keep')
  })

  it('[CFL-2] ask: always a conflict', () => {
    fc.assert(fc.property(anySide, anySide, (known, incoming) => judgeConflict('ask', known, incoming) === 'conflict'))
  })

  it('[TRU-1] untrusted never replaces trusted, whatever the policy, and learned text that is only inferred does not either', () => {
    fc.assert(
      fc.property(fc.constantFrom(...conflictPolicies), anySide, anySide, (policy, known, incoming) => {
        const trusted = { ...known, trust: 'trusted' as const }
        if (incoming.trust !== 'trusted') expect(judgeConflict(policy, trusted, incoming)).toBe('conflict')
        if (!mayReplace(known.trust, incoming.trust)) expect(judgeNamed(policy, known, incoming)).toBe('conflict')
      }),
    )
  })

  it('[TRU-2] a caller who names what is replaced may set what an assistant said; other policies judge as for what is learned', () => {
    expect(judgeNamed('newest', side({ at: 9 }), side({ trust: 'inferred', at: 1 }))).toBe('supersede')
    expect(judgeNamed('trusted', side(), side({ trust: 'inferred', at: 1 }))).toBe('conflict')
    expect(judgeNamed('ask', side(), side())).toBe('conflict')
  })
})
