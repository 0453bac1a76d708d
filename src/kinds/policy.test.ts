import { describe, expect, it } from 'vitest'
import { openMemory } from '../engine/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { createPolicies, reliabilityAfter } from './index.ts'

const open = (kinds: object) => openMemory({ store: memoryStore(), kinds: kinds as never })
const refused = (path: string) => ({
  code: expect.stringMatching(/^(BAD_CONFIG|UNKNOWN_FIELD)$/),
  message: expect.stringContaining(path),
})

describe('policies', () => {
  it('[KND-1] every kind has its policy, and a kind that mneme does not know that of semantic', () => {
    const policies = createPolicies({ semantic: { pruneBelow: 0.2 }, tool: { recoverOnSuccess: 0.5 }, note: {} })
    expect(policies.of('procedural')).toMatchObject({ decayOnFailure: 0.7, pruneBelow: 0.1, versionOnEdit: true })
    expect(policies.of('tool')).toMatchObject({ decayOnFailure: 0.5, recoverOnSuccess: 0.5, versionOnEdit: true })
    expect(policies.of('anything else')).toEqual(policies.of('semantic'))
    expect(policies.of('anything else').pruneBelow).toBe(0.2)
    expect(policies.of('note').pruneBelow).toBe(0.1)
    expect(createPolicies().lifetimes).toBeUndefined()
  })

  it('[KND-2] factors are from 0 to 1, days are whole and above 0, and what is unknown is refused by name', async () => {
    const bad: [object, string][] = [
      [{ semantic: { decayOnFailure: 2 } }, 'kinds.semantic.decayOnFailure'],
      [{ semantic: { recoverOnSuccess: -0.1 } }, 'kinds.semantic.recoverOnSuccess'],
      [{ tool: { pruneBelow: Number.NaN } }, 'kinds.tool.pruneBelow'],
      [{ episodic: { ttlDays: 0 } }, 'kinds.episodic.ttlDays'],
      [{ episodic: { ttlDays: -1 } }, 'kinds.episodic.ttlDays'],
      [{ episodic: { ttlDays: 1.5 } }, 'kinds.episodic.ttlDays'],
      [{ episodic: { ttlDays: 'x' } }, 'kinds.episodic.ttlDays'],
      [{ kv: { halfLifeDays: 0 } }, 'kinds.kv.halfLifeDays'],
      [{ kv: { maxRecords: 0 } }, 'kinds.kv.maxRecords'],
      [{ kv: { lifetime: 3 } }, 'lifetime'],
      [{ _conflict: {} }, '_conflict'],
    ]
    for (const [kinds, path] of bad) await expect(open(kinds), path).rejects.toMatchObject(refused(path))
  })

  it('[KND-4] a failure leaves a share of the reliability, a success gives a share of the missing back', () => {
    const policy = createPolicies({ semantic: { recoverOnSuccess: 0.5 } }).of('semantic')
    expect(reliabilityAfter(1, false, policy)).toBe(0.7)
    expect(reliabilityAfter(0.5, true, policy)).toBe(0.75)
    expect(reliabilityAfter(0.8, true, createPolicies().of('semantic'))).toBe(0.8)
  })
})
