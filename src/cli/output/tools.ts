import type { MatchedTool, ToolLearnResult, ToolMatchResult } from '../../engine/index.ts'
import type { Tool } from '../../kinds/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bold, dim, good, type Line, line, table, wholeLine } from './lines.ts'
import { type Written, written } from './written.ts'

const noSuchTool = 'No such tool in this scope. Check the name and the scope.'

export function toolLearnt(answer: Written<ToolLearnResult>, asked: Asked): Rendering {
  const { outcome, tool } = answer
  return written(answer, asked, [line(good(outcome), '  ', tool.name, `  version ${tool.version}`)])
}

function worked({ successes, failures }: Tool): string {
  return successes + failures === 0 ? '' : `${successes} of ${successes + failures} worked`
}

/** `city, days?`: what it takes, and what of it may be left out. */
function argumentNames({ parameters: { properties, required } }: Tool): string {
  const wanted = Array.isArray(required) ? required : []
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return names.map((name) => (wanted.includes(name) ? name : `${name}?`)).join(', ')
}

function matchLines({ tool, score, reliability }: MatchedTool): Line[] {
  return [
    line(
      bold(score.toFixed(2)),
      '  ',
      bold(tool.name),
      dim(`(${argumentNames(tool)})  reliability ${reliability.toFixed(2)}  ${worked(tool)}`),
    ),
    line('      ', tool.description),
  ]
}

export function toolMatches({ matches }: ToolMatchResult): Rendering {
  return { lines: matches.flatMap(matchLines), notes: matches.length === 0 ? ['No tool fits.'] : [] }
}

export function toolShown(tool: Tool | null): Rendering {
  if (tool === null) return { lines: [], notes: [noSuchTool] }
  return {
    lines: JSON.stringify(tool, null, 2)
      .split('\n')
      .map((one) => wholeLine(one)),
  }
}

export function toolVersions({ versions }: { readonly versions: readonly Tool[] }): Rendering {
  return {
    lines: table(
      versions.map((tool) => [bold(`v${tool.version}`), tool.description, `(${argumentNames(tool)})`, worked(tool)]),
    ),
    notes: versions.length === 0 ? [noSuchTool] : [],
  }
}
