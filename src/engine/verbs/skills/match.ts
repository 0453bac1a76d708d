import { z } from 'zod'
import {
  type Judge,
  judgeSkills,
  matchSkills,
  type Skill,
  type SkillLibrary,
  skillLibrary,
  skillText,
  successBound,
} from '../../../kinds/index.ts'
import type { MemoryRecord } from '../../../model/index.ts'
import { readScope } from '../../access.ts'
import type { Degradation } from '../../api/searching.ts'
import type { MatchedSkill, SkillMatchResult } from '../../api/skills.ts'
import type { Core } from '../../core.ts'
import { type Made, made } from '../../keyed.ts'
import { listAll } from '../../listing.ts'
import { embedderDegradation, embedTexts } from '../../vectors.ts'
import { defineVerb, limitField, limitOf, readOptions } from '../../verb.ts'
import { skillKind, skillOf } from './skill-record.ts'

const defaultLimit = 3
/** Libraries that are kept ready, of as many scopes and options. */
const keptLibraries = 8

interface Known {
  readonly record: MemoryRecord
  readonly skill: Skill
}

/** More reliable ones first, then newer versions: what comes first wins where two match alike. */
function preferred(a: Known, b: Known): number {
  return (
    b.record.reliability - a.record.reliability ||
    b.skill.version - a.skill.version ||
    (a.record.id < b.record.id ? -1 : 1)
  )
}

const libraries = new WeakMap<Core, Map<string, SkillLibrary>>()

/** The vectors of texts; null for all, and why, where the embedder fails. */
async function vectorsOf(core: Core, texts: readonly string[], purpose: 'document' | 'query', signal?: AbortSignal) {
  const none = { vectors: texts.map(() => null), degraded: null }
  if (!core.embedder || texts.length === 0) return none
  try {
    const made = await embedTexts(core.embedder, texts, { purpose, signal })
    return { vectors: made.map(({ values }) => values), degraded: null }
  } catch (error) {
    signal?.throwIfAborted()
    return { ...none, degraded: embedderDegradation(core.embedder, error) }
  }
}

/** Skills made ready, and kept as long as none of them changes. */
async function libraryOf(core: Core, known: readonly Known[], signal?: AbortSignal) {
  const name = JSON.stringify(known.map(({ record: { id, version } }) => [id, version]))
  const kept = libraries.get(core) ?? new Map<string, SkillLibrary>()
  libraries.set(core, kept)
  const there = kept.get(name)
  if (there) return { library: there, degraded: null }
  const { vectors, degraded } = await vectorsOf(
    core,
    known.map(({ skill }) => skillText(skill)),
    'document',
    signal,
  )
  const entries = known.map(({ record: { id }, skill }, i) => ({ id, skill, vector: vectors[i] ?? null }))
  const library = skillLibrary(entries, core.table)
  // Without its vectors it is made again the next time.
  if (degraded === null) kept.set(name, library)
  if (kept.size > keptLibraries) kept.delete(kept.keys().next().value as string)
  return { library, degraded }
}

const isFunction = (value: unknown) => typeof value === 'function'

export const skillsMatch = defineVerb({
  name: 'skills.match',
  summary: 'Find the skills that fit a need, in your own words; none when none does.',
  positional: ['query'],
  input: z.strictObject({
    query: z.string().max(32_768),
    minVersion: z.int().min(1).optional(),
    name: z.string().min(1).max(512).optional(),
    minReliability: z.number().min(0).max(1).optional(),
    limit: limitField,
    minScore: z.number().min(0).max(1).optional(),
    judge: z.custom<Judge>(isFunction, 'must be a function').optional(),
    ...readOptions,
  }),
  writes: false,
  example: 'mneme skills match "I am thirsty, something hot please" --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<SkillMatchResult>> {
    const limit = limitOf(input.limit, defaultLimit)
    const { signal, name, minVersion = 1, minReliability = 0, minScore, judge } = input
    const query = { kinds: [skillKind], key: name, now: core.clock(), lifetimes: core.policies.lifetimes, signal }
    const found = await listAll(core, readScope(access, input), query, { bare: true })
    // What scope, filter and quality leave: neither ranking nor judge sees anything else.
    const known = found
      .flatMap(({ record }): Known[] => {
        const skill = skillOf(record)
        const fits = skill !== null && skill.version >= minVersion && record.reliability >= minReliability
        return fits ? [{ record, skill }] : []
      })
      .sort(preferred)
    const { library, degraded } = await libraryOf(core, known, signal)
    const asked = await vectorsOf(core, [input.query], 'query', signal)
    const need = { text: input.query, vector: asked.vectors[0] ?? null }
    const matched = judge
      ? await judgeSkills(library, need, judge, { limit })
      : matchSkills(library, need, { limit, minScore })
    const byId = new Map(known.map((one) => [one.record.id, one]))
    const matches = matched.map(({ id, score, by }): MatchedSkill => {
      const { record, skill } = byId.get(id) as Known
      const { successes, failures } = skill
      const bound = successBound(successes, failures)
      return { id, skill, score, by, reliability: record.reliability, successBound: bound }
    })
    if (matches.length > 0)
      core.touches.add(
        matches.map(({ id }) => id),
        core.clock(),
      )
    const failed: readonly Degradation[] = [degraded ?? asked.degraded ?? []].flat()
    return {
      from: matches.map(({ id }) => (byId.get(id) as Known).record),
      answer: { matches, ...(failed.length > 0 ? { degraded: failed } : {}) },
    }
  },
})
