import { successBound, toolKind } from '../../../kinds/index.ts'
import type { MatchedTool, ToolMatchResult } from '../../api/tools.ts'
import { type Made, made } from '../../keyed.ts'
import { defineVerb } from '../../verb.ts'
import { matchInput, matchNeed } from '../named/match-need.ts'

export const toolsMatch = defineVerb({
  name: 'tools.match',
  summary: 'Find the tools that can do what is needed, in your own words; none when none can.',
  positional: ['query'],
  input: matchInput,
  writes: false,
  example: 'mneme tools match "make the water hot" --user ann',
  ...made,
  async run(call, input): Promise<Made<ToolMatchResult>> {
    const { fitting, degraded } = await matchNeed(call, toolKind, input)
    const matches = fitting.map(({ record: { id, reliability }, item: tool, score, by }): MatchedTool => {
      const bound = successBound(tool.successes, tool.failures)
      return { id, tool, score, by, reliability, successBound: bound }
    })
    return {
      from: fitting.map(({ record }) => record),
      answer: { matches, ...(degraded.length > 0 ? { degraded } : {}) },
    }
  },
})
