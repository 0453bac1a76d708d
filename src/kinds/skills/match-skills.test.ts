import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Judge } from '../../contract/index.ts'
import { staticEn256, staticTokenTable } from '../../embedders/static-en-256/index.ts'
import { defaultMinScore, judgeSkills, matchSkills } from './match-skills.ts'
import { type NewSkill, parseSkill, skillText } from './skill.ts'
import { skillLibrary } from './skill-library.ts'

const embedder = staticEn256()

async function vectorOf(text: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], { purpose: 'document' })
  return vector!
}

async function libraryOf(given: readonly NewSkill[]) {
  const entries = await Promise.all(
    given.map(async (one, i) => {
      const skill = parseSkill(one)
      return { id: `s${i}`, skill, vector: await vectorOf(skillText(skill)) }
    }),
  )
  return skillLibrary(entries, staticTokenTable())
}

async function match(given: readonly NewSkill[], text: string, limit?: number) {
  return matchSkills(await libraryOf(given), { text, vector: await vectorOf(text) }, { limit })
}

async function judged(given: readonly NewSkill[], text: string, judge: Judge, limit?: number) {
  return judgeSkills(await libraryOf(given), { text, vector: await vectorOf(text) }, judge, { limit })
}

const ids = (matches: readonly { id: string }[]) => matches.map(({ id }) => id)
const kitchen: readonly NewSkill[] = [
  { name: 'drain', trigger: 'unclog a drain', description: 'Free a blocked sink or shower.' },
  { name: 'bread', trigger: 'bake bread', description: 'Make a loaf with yeast and flour.' },
  { name: 'deploy', trigger: 'deploy a release', description: 'Roll software out to servers.' },
]

describe('by trigger', () => {
  test.each([
    ['run_solver', 'RUN_SOLVER'],
    ['fix lint', 'please fix lint now'],
    ['Fix the Lint', 'fix the lint'],
    ['deploy the billing service', 'billing service'],
    ['Überprüfe ÄNDERUNGEN', 'überprüfe änderungen bitte'],
  ])('[SKL-7] the trigger %j matches %j', async (trigger, need) => {
    expect(await match([{ trigger }], need)).toEqual([{ id: 's0', score: 1, by: 'trigger' }])
  })

  test.each([
    ['run_solver', 'r_n'],
    ['run_solver', 'r%n'],
    ['run_solver', 'completely unrelated'],
    ['fix lint', 'the flint'],
    ['go to the shop', 'to the'],
    ['other', 'zebra'],
    ['other', ''],
    ['other', '?!'],
  ])('[SKL-7] the trigger %j does not match %j', async (trigger, need) => {
    expect(await match([{ trigger }], need)).toEqual([])
  })

  test('[SKL-7] a name matches as a whole', async () => {
    expect(ids(await match(kitchen, 'drain'))).toEqual(['s0'])
    expect((await match([{ name: 'sourdough-loaf', trigger: 'bake' }], 'sourdough loaf'))[0]?.by).toBe('trigger')
  })

  test('[SKL-8] the same words come first, then the nearest in length, then newer versions, then earlier entries', async () => {
    const given = [1, 10, 2, 2].map((version) => ({ name: 'n', trigger: 'ship it', version }))
    expect(ids(await match(given, 'ship it', 10))).toEqual(['s1', 's2', 's3', 's0'])
    const near = [{ trigger: 'ship it to the shop today' }, { trigger: 'ship' }, { trigger: 'ship it' }]
    expect(ids(await match(near, 'ship it', 10))).toEqual(['s2', 's1', 's0'])
  })
})

describe('by likeness', () => {
  test('[SKL-9] other words find the skill, and what no skill is for finds none', async () => {
    const [first] = await match(kitchen, 'water stands in the sink and does not run off')
    expect(first).toMatchObject({ id: 's0', by: 'ranked' })
    expect(await match(kitchen, 'who won the world cup in 1998')).toEqual([])
  })

  test('[SKL-9] without vectors and without a table words alone are compared', () => {
    const entries = kitchen.map((one, i) => ({ id: `s${i}`, skill: parseSkill(one), vector: null }))
    const found = matchSkills(skillLibrary(entries, null), { text: 'my loaf needs flour and yeast', vector: null })
    expect(found[0]).toMatchObject({ id: 's1', by: 'ranked' })
    expect(matchSkills(skillLibrary([], null), { text: 'anything', vector: null })).toEqual([])
  })

  test('[SKL-9] scores are from 0 to 1, best first, at most as many as asked for, always the same', async () => {
    const library = await libraryOf(kitchen)
    const vector = await vectorOf('bread')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 4 }), (text, limit) => {
        const found = matchSkills(library, { text, vector }, { limit, minScore: 0 })
        expect(found.length).toBeLessThanOrEqual(limit)
        for (const [i, { score }] of found.entries()) {
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(found[i - 1]?.score ?? 1)
        }
        expect(matchSkills(library, { text, vector }, { limit, minScore: 0 })).toEqual(found)
      }),
    )
  })
})

describe('the threshold', () => {
  test('[SKL-17] goes up with the number of skills', () => {
    expect([0, 1, 10].map(defaultMinScore)).toEqual([0.39, 0.39, 0.39])
    expect(defaultMinScore(100)).toBeCloseTo(0.51, 2)
    expect(defaultMinScore(500)).toBeCloseTo(0.602, 2)
    expect(defaultMinScore(1_000_000)).toBeLessThanOrEqual(1)
  })

  test('[SKL-17] a need in many words still finds one of a few skills', async () => {
    const need = 'since this morning there is a puddle in the shower that takes ages to run off, what a mess'
    expect((await match(kitchen, need))[0]).toMatchObject({ id: 's0', by: 'ranked' })
  })

  test('[SKL-9] only a trigger makes a match certain', async () => {
    const [first] = await match(kitchen, 'a loaf with yeast, flour')
    expect(first?.by).toBe('ranked')
    expect(first?.score).toBeLessThan(1)
  })
})

describe('with a judge', () => {
  const never: Judge = () => {
    throw new Error('the judge was asked')
  }

  test('[SKL-10] it is not asked when a trigger matches, when there are no skills or no words', async () => {
    expect(ids(await judged(kitchen, 'please bake bread', never))).toEqual(['s1'])
    expect(await judged([], 'anything', never)).toEqual([])
    expect(await judged(kitchen, '...', never)).toEqual([])
  })

  test('[SKL-10] it sees id and trigger of the 20 most alike', async () => {
    const many = Array.from({ length: 25 }, (_, i) => ({ trigger: `routine number ${i}` }))
    const seen: (readonly { id: string; trigger: string }[])[] = []
    const found = await judged(
      many,
      'something else',
      async (_, candidates) => {
        seen.push(candidates)
        return [0, 1, 2]
      },
      2,
    )
    expect(seen[0]).toHaveLength(20)
    expect(seen[0]?.[0]).toEqual({ id: expect.any(String), trigger: expect.any(String) })
    expect(ids(found)).toEqual(ids(seen[0]?.slice(0, 2) ?? []))
    expect(found.map(({ by }) => by)).toEqual(['judged', 'judged'])
  })

  test.each([
    [[5, -1, 1], [1]],
    [
      [1, 0],
      [1, 0],
    ],
    [[0, 0], [0]],
    [[0.5, Number.NaN, '1', null], []],
    [[], []],
  ])('[SKL-10] of the answer %j the positions %j count', async (answer, kept) => {
    let shown: readonly string[] = []
    const found = await judged(kitchen.slice(0, 2), 'quite another thing', async (_, candidates) => {
      shown = ids(candidates)
      return answer as number[]
    })
    expect(ids(found)).toEqual(kept.map((position) => shown[position]))
  })

  test('[SKL-10] what it throws is thrown, and an answer that is no list is refused', async () => {
    const refusing = judged(kitchen, 'quite another thing', () => Promise.reject(new Error('tired')))
    await expect(refusing).rejects.toThrow('tired')
    const wrong = judged(kitchen, 'quite another thing', async () => null as never)
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
