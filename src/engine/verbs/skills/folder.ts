import { mkdir } from 'node:fs/promises'
import { z } from 'zod'
import { InputError, MnemeError } from '../../../errors/index.ts'
import { type Skill, skillFromMarkdown, skillKind, skillToMarkdown } from '../../../kinds/index.ts'
import { equalJson, exactly, type JsonValue, type MemoryRecord, type Scope } from '../../../model/index.ts'
import { keyedScopes } from '../../access.ts'
import type { SkillExportResult, SkillExportRow, SkillImportResult, SkillImportRow } from '../../api/skill-folder.ts'
import type { Core } from '../../core.ts'
import { type Made, made } from '../../keyed.ts'
import { listAll } from '../../listing.ts'
import { folderNames } from '../../skill-folder/folder-name.ts'
import { type FoundSkillFile, readSkillFolder } from '../../skill-folder/read-skill-folder.ts'
import { type SkillFiles, skillFileName, skillFilesOf, withSkillFiles } from '../../skill-folder/skill-files.ts'
import { writeSkillFolder } from '../../skill-folder/write-skill-folder.ts'
import { type Call, defineVerb, keyedReadOptions, writeOptions } from '../../verb.ts'
import type { WorkStep } from '../../work.ts'
import { defineWrite, outcomeOf, type Planned } from '../../write-verb.ts'
import { type LearnOutcome, planLearn } from '../named/learn-version.ts'
import { unstamped } from '../unstamped.ts'

const folderField = () => z.string().min(1, 'must not be empty').max(32_768)

interface Read {
  readonly row: SkillImportRow
  readonly skill?: Skill
}

async function readFile({ path, text, reason, files }: FoundSkillFile): Promise<Read> {
  if (text === null) return { row: { path, outcome: 'failed', reason: reason ?? `can't be read` } }
  try {
    const { skill, ignored } = await skillFromMarkdown(text)
    const { name } = skill
    const kept = Object.keys(files)
    const more = { ...(ignored.length > 0 ? { ignored } : {}), ...(kept.length > 0 ? { files: kept } : {}) }
    return { row: { path, outcome: 'added', name, ...more }, skill }
  } catch (error) {
    if (MnemeError.is(error)) return { row: { path, outcome: 'failed', reason: error.message } }
    throw error
  }
}

interface Learning {
  readonly steps: readonly WorkStep[]
  readonly outcome: LearnOutcome
  readonly id: string | undefined
}

/** The skill's memory keeps the files of its folder, whatever it kept before. */
function keepingFiles({ steps, outcome, id }: Learning, files: SkillFiles): Learning {
  const kept = steps.map((step): WorkStep => {
    if (step.type === 'put' && step.after.id === id) {
      return { ...step, after: { ...step.after, metadata: withSkillFiles(step.after.metadata, files) } }
    }
    if (step.type !== 'noop') return step
    const { before } = step
    const metadata = withSkillFiles(before.record.metadata, files)
    if (equalJson(metadata, before.record.metadata)) return step
    return { type: 'put', op: 'update', before, after: { ...unstamped(before.record), metadata } }
  })
  const isUpdate = outcome === 'duplicate' && kept.some(({ type }) => type === 'put')
  return { steps: kept, outcome: isUpdate ? 'updated' : outcome, id }
}

async function planImport(call: Call, folder: string, scope: Scope, signal?: AbortSignal): Promise<Planned> {
  const { skills, leftOut } = await readSkillFolder(folder, signal)
  const steps: Planned['steps'][number][] = []
  const rows: SkillImportRow[] = []
  const taken = new Map<string, string>()
  for (const file of skills) {
    signal?.throwIfAborted()
    const { row, skill } = await readFile(file)
    const earlier = skill && taken.get(skill.name)
    if (!skill || earlier !== undefined) {
      rows.push(skill ? { ...row, outcome: 'failed', reason: `${earlier} has the same name` } : row)
      continue
    }
    taken.set(skill.name, file.path)
    const planned = await planLearn(call, skillKind, skill, scope, signal)
    const learning = { steps: planned.steps, outcome: planned.extra, id: planned.refs[0]?.id }
    const { outcome, id, steps: own } = keepingFiles(learning, file.files)
    steps.push(...own)
    rows.push({ ...row, outcome, ...(id === undefined ? {} : { id }) })
  }
  return { steps, refs: [], extra: { rows, leftOut } as unknown as JsonValue }
}

const countOf = (rows: readonly { readonly outcome: string }[], ...outcomes: readonly string[]) =>
  rows.filter(({ outcome }) => outcomes.includes(outcome)).length

export const skillsImport = defineWrite({
  name: 'skills.import',
  summary: 'Learn every SKILL.md in a folder and the folders in it.',
  positional: ['folder'],
  caretaker: true,
  input: () => z.strictObject({ folder: folderField(), ...writeOptions }).omit({ idempotencyKey: true }),
  example: 'mneme skills export ./skills --user ann && mneme skills import ./skills --user bob',
  plan: (call, input, scope) => planImport(call, input.folder, scope, input.signal),
  answer(answered): SkillImportResult {
    const { rows, leftOut } = answered.extra as unknown as Pick<SkillImportResult, 'rows' | 'leftOut'>
    return {
      imported: countOf(rows, 'added', 'superseded', 'updated'),
      unchanged: countOf(rows, 'duplicate'),
      failed: countOf(rows, 'failed'),
      rows,
      leftOut,
      ...outcomeOf(answered),
    }
  },
})

interface Known {
  readonly record: MemoryRecord
  readonly skill: Skill
}

/** The skills of the scopes, by name; of the same name in several that of the nearest. */
async function skillsIn(core: Core, scopes: readonly Scope[], signal?: AbortSignal): Promise<readonly Known[]> {
  const known = new Map<string, Known>()
  for (const scope of scopes) {
    const query = { kinds: [skillKind.kind], now: core.clock(), lifetimes: core.policies.lifetimes, signal }
    for (const { record } of await listAll(core, exactly(scope), query, { bare: true })) {
      const skill = skillKind.of(record)
      if (skill && record.key === skill.name && !known.has(skill.name)) known.set(skill.name, { record, skill })
    }
  }
  return [...known.values()].sort((a, b) => (a.skill.name < b.skill.name ? -1 : 1))
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `The folder ${folder} can't be made (${cause.code ?? 'unknown'}). Choose a place that can be written.`,
      details: { path: folder },
      cause,
    })
  })
}

export const skillsExport = defineVerb({
  name: 'skills.export',
  summary: 'Write every skill as a SKILL.md, each in a folder of its own.',
  positional: ['folder'],
  caretaker: true,
  input: () => z.strictObject({ folder: folderField(), overwrite: z.boolean().optional(), ...keyedReadOptions }),
  writes: false,
  example: 'mneme skills export ./skills --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<SkillExportResult>> {
    const { folder, overwrite = false, signal } = input
    const known = await skillsIn(core, keyedScopes(access, input), signal)
    await makeFolder(folder)
    const rows: SkillExportRow[] = []
    for (const [i, name] of folderNames(known.map(({ skill }) => skill.name)).entries()) {
      signal?.throwIfAborted()
      const { record, skill } = known[i] as Known
      const path = `${name}/${skillFileName}`
      const beside = Object.entries(skillFilesOf(record)).map(([own, text]) => [`${name}/${own}`, text] as const)
      const outcome = await writeSkillFolder(folder, [[path, skillToMarkdown(skill)], ...beside], overwrite)
      rows.push({ name: skill.name, path, ...outcome })
    }
    const [written, unchanged, failed] = ['written', 'unchanged', 'failed'].map((outcome) => countOf(rows, outcome))
    return {
      from: known.map(({ record }) => record),
      answer: { written: written as number, unchanged: unchanged as number, failed: failed as number, rows },
    }
  },
})
