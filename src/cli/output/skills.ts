import type { MatchedSkill, SkillLearnResult, SkillMatchResult } from '../../engine/index.ts'
import type { Skill } from '../../kinds/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bold, dim, good, type Line, line, table, wholeLine } from './lines.ts'
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
