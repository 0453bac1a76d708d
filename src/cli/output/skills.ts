import type {
  MatchedSkill,
  SkillExportResult,
  SkillImportResult,
  SkillLearnResult,
  SkillMatchResult,
} from '../../engine/index.ts'
import type { Skill } from '../../kinds/index.ts'
import { amount } from './amount.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bad, bold, dim, good, type Line, line, table, wholeLine } from './lines.ts'
import { type Written, written } from './written.ts'

const noSuchSkill = 'No such skill in this scope. Check the name and the scope.'

export function skillLearnt(answer: Written<SkillLearnResult>, asked: Asked): Rendering {
  const { outcome, skill } = answer
  return written(answer, asked, [line(good(outcome), '  ', skill.name, `  version ${skill.version}`)])
}

function stepText(step: Skill['steps'][number]): string {
  if (typeof step === 'string') return step
  return [step.tool, step.arguments && JSON.stringify(step.arguments), step.notes].filter(Boolean).join(' ')
}

function worked({ successes, failures }: Skill): string {
  return successes + failures === 0 ? '' : `${successes} of ${successes + failures} worked`
}

function matchLines({ skill, score, reliability }: MatchedSkill): Line[] {
  return [
    line(
      bold(score.toFixed(2)),
      '  ',
      bold(skill.name),
      dim(`  reliability ${reliability.toFixed(2)}  ${worked(skill)}`),
    ),
    ...skill.steps.map((step, i) => line(dim(`      ${i + 1}. `), stepText(step))),
  ]
}

export function skillMatches({ matches }: SkillMatchResult): Rendering {
  return { lines: matches.flatMap(matchLines), notes: matches.length === 0 ? ['No skill fits.'] : [] }
}

export function skillVersions({ versions }: { readonly versions: readonly Skill[] }): Rendering {
  return {
    lines: table(
      versions.map((skill) => [bold(`v${skill.version}`), skill.trigger, `${skill.steps.length} steps`, worked(skill)]),
    ),
    notes: versions.length === 0 ? [noSuchSkill] : [],
  }
}

export function skillFile(text: string | null): Rendering {
  if (text === null) return { lines: [], notes: [noSuchSkill] }
  return {
    lines: text
      .replace(/\n$/, '')
      .split('\n')
      .map((one) => wholeLine(one)),
  }
}

/** Files that were left out and are named: enough to see what kind of files they are. */
const namedFiles = 5

function leftOutNote(leftOut: readonly string[]): string[] {
  if (leftOut.length === 0) return []
  const more = leftOut.length - namedFiles
  const named = leftOut.slice(0, namedFiles).join(', ')
  return [
    `Not kept, being of no skill, no text, large, hidden or a link: ${named}${more > 0 ? ` and ${more} more; -o json names all` : ''}.`,
  ]
}

export function skillsImported(answer: Written<SkillImportResult>, asked: Asked): Rendering {
  const { rows, leftOut, imported, unchanged, failed } = answer
  const lines = rows.map(({ path, outcome, name, reason, ignored }) => [
    outcome === 'failed' ? bad(outcome) : good(outcome),
    name ?? '',
    path,
    reason === undefined ? dim(ignored ? `without ${ignored.join(', ')}` : '') : bad(reason),
  ])
  const counts = line(`${amount(imported, 'skill')} imported, ${unchanged} unchanged, ${failed} failed`)
  const told = written(answer, asked, [...table(lines), counts])
  // A plan shows only what can be learned.
  const unread = answer.plan ? table(lines.filter((_, i) => rows[i]?.outcome === 'failed')) : []
  return { ...told, lines: [...told.lines, ...unread], notes: [...(told.notes ?? []), ...leftOutNote(leftOut)] }
}

export function skillsExported({ rows, written: count, unchanged, failed }: SkillExportResult): Rendering {
  const lines = rows.map(({ path, name, outcome, reason }) => [
    outcome === 'failed' ? bad(outcome) : good(outcome),
    name,
    path,
    bad(reason ?? ''),
  ])
  return {
    lines: [...table(lines), line(`${amount(count, 'skill')} written, ${unchanged} unchanged, ${failed} failed`)],
  }
}
