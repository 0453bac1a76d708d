import { z } from 'zod'
import { staticEn256, staticTokenTable } from '../../embedders/static-en-256/index.ts'
import { defaultMinScore, matchSkills, skillLibrary, skillText } from '../../kinds/index.ts'
import { parseWith } from '../../model/index.ts'
import { type BenchOutput, readArguments, readText, share } from './bench-arguments.ts'
import { plainBm25 } from './plain-bm25.ts'
import { shortfalls } from './shortfalls.ts'
import { type Need, type SkillSet, skillSet } from './skill-set.ts'

const skillsUsage = `mneme bench skills FILE

Matches the needs of a file with its skills, with the built-in embedder, and says how often the right one was found.
FILE has JSON lines: skills { "name", "trigger", "description"?, "steps"? }, then needs { "query", "expected", "group"? },
where "expected" is the name of a skill, or null when none fits.

  --min-score X   what the best must reach, else the answer is none (default ${defaultMinScore(1)} among
                  up to ten skills, ${defaultMinScore(100).toFixed(2)} among a hundred)
  --min-r1 X      exit 1 when the right one is first in a smaller share
  --min-r3 X      exit 1 when it is among the first three in a smaller share
  --min-none X    exit 1 when a smaller share of the needs that none fits is answered with none
  -o text|json    (default text)
`

const optionsSchema = z.strictObject({
  file: z.string('is missing: give the file after the name of the set'),
  'min-score': share.optional(),
  'min-r1': share.optional(),
  'min-r3': share.optional(),
  'min-none': share.optional(),
  output: z.enum(['text', 'json']).default('text'),
})

type Options = z.infer<typeof optionsSchema>

/** Shares of needs; null where there are no such needs. */
export interface SkillFigures {
  readonly group: string
  readonly needs: number
  /** The right skill is first among the matches (BEN-16). A need answered with none has missed it. */
  readonly first: number | null
  readonly amongThree: number | null
  /** Answered with none although a skill fits. */
  readonly falseNone: number | null
  readonly unfit: number
  /** Answered with none, and none fits. */
  readonly trueNone: number | null
}

export interface SkillSummary {
  readonly skills: number
  readonly minScore: number
  /** All needs first, then by group, if there are several. */
  readonly mneme: readonly SkillFigures[]
  readonly plain: readonly SkillFigures[]
}

type Answers = ReadonlyMap<Need, readonly string[]>

function figuresOf(group: string, needs: readonly Need[], answers: Answers): SkillFigures {
  const shareOf = (some: readonly Need[], holds: (need: Need, names: readonly string[]) => boolean) =>
    some.length === 0 ? null : some.filter((need) => holds(need, answers.get(need) ?? [])).length / some.length
  const fit = needs.filter(({ expected }) => expected !== null)
  const unfit = needs.filter(({ expected }) => expected === null)
  const isNone = (_: Need, names: readonly string[]) => names.length === 0
  return {
    group,
    needs: fit.length,
    first: shareOf(fit, ({ expected }, names) => names[0] === expected),
    amongThree: shareOf(fit, ({ expected }, names) => names.slice(0, 3).includes(expected ?? '')),
    falseNone: shareOf(fit, isNone),
    unfit: unfit.length,
    trueNone: shareOf(unfit, isNone),
  }
}

function byGroup(needs: readonly Need[], answers: Answers): readonly SkillFigures[] {
  const groups = [...new Set(needs.map(({ group }) => group))]
  const parts = groups.map((name) => {
    const some = needs.filter(({ group }) => group === name)
    return figuresOf(name, some, answers)
  })
  return [figuresOf('all', needs, answers), ...(parts.length > 1 ? parts : [])]
}

/** Matches every need, with mneme and with BM25 over name, trigger, description and steps. */
export async function measureSkills(
  { skills, needs }: SkillSet,
  minScore = defaultMinScore(skills.length),
): Promise<SkillSummary> {
  const embedder = staticEn256()
  const vectors = await embedder.embed(skills.map(skillText), { purpose: 'document' })
  const library = skillLibrary(
    skills.map((skill, i) => ({ id: skill.name, skill, vector: vectors[i] ?? null })),
    staticTokenTable(),
  )
  const queries = await embedder.embed(
    needs.map(({ text }) => text),
    { purpose: 'query' },
  )
  const plain = plainBm25(
    skills.map((skill) => ({
      id: skill.name,
      content: [
        skill.name,
        skillText(skill),
        ...skill.steps.map((step) => (typeof step === 'string' ? step : step.tool)),
      ].join('\n'),
    })),
  )
  const matched = new Map(
    needs.map((need, i) => {
      const matches = matchSkills(library, { text: need.text, vector: queries[i] ?? null }, { minScore })
      return [need, matches.map(({ id }) => id)]
    }),
  )
  const found = new Map(needs.map((need) => [need, plain(need.text).slice(0, 3)]))
  return { skills: skills.length, minScore, mneme: byGroup(needs, matched), plain: byGroup(needs, found) }
}

const cell = (value: number | null) => (value === null ? '-' : value.toFixed(3)).padStart(12)

function table(title: string, rows: readonly SkillFigures[]): string[] {
  const head = ['fit', 'R@1', 'R@3', 'false none', 'unfit', 'true none']
  return [
    `${title.padEnd(16)}${head.map((name) => name.padStart(12)).join('')}`,
    ...rows.map(({ group, needs, first, amongThree, falseNone, unfit, trueNone }) =>
      [
        group.padEnd(16),
        `${needs}`.padStart(12),
        cell(first),
        cell(amongThree),
        cell(falseNone),
        `${unfit}`.padStart(12),
        cell(trueNone),
      ].join(''),
    ),
  ]
}

function textReport({ skills, minScore, mneme, plain }: SkillSummary): string {
  return [
    `${skills} skills; a best score under ${Number(minScore.toFixed(3))} is answered with none`,
    '',
    ...table('mneme', mneme),
    '',
    ...table('plain BM25', plain),
    '',
  ].join('\n')
}

function readOptions(args: readonly string[]): Options | null {
  const text = { type: 'string' } as const
  const given = readArguments(args, ['file'], {
    'min-score': text,
    'min-r1': text,
    'min-r3': text,
    'min-none': text,
  })
  return given && parseWith(optionsSchema, given, 'bench')
}

/** Runs `mneme bench skills`. @returns the exit code: 1 when a bound that was given is not reached. @throws InputError */
export async function runSkills(args: readonly string[], io: BenchOutput): Promise<number> {
  const options = readOptions(args)
  if (options === null) {
    io.stdout.write(skillsUsage)
    return 0
  }
  const summary = await measureSkills(skillSet(await readText(options.file)), options['min-score'])
  io.stdout.write(options.output === 'json' ? `${JSON.stringify(summary)}\n` : textReport(summary))
  const [all] = summary.mneme
  const short = shortfalls([
    { name: 'R@1', value: all?.first, least: options['min-r1'] },
    { name: 'R@3', value: all?.amongThree, least: options['min-r3'] },
    { name: 'true none', value: all?.trueNone, least: options['min-none'] },
  ])
  for (const line of short) io.stderr.write(`${line}\n`)
  return short.length === 0 ? 0 : 1
}
