import { z } from 'zod'
import { maxExamples, parseSkill, skillKind } from '../../../kinds/index.ts'
import { formatInstant } from '../../../model/index.ts'
import type { ReportResult } from '../../api/retention.ts'
import { keyField } from '../../keyed.ts'
import { writeOptions } from '../../verb.ts'
import { defineWrite } from '../../write-verb.ts'
import { payloadOf } from '../named/learn-version.ts'
import { requireNamed } from '../named/require-named.ts'
import { answerReport, planReport } from '../report.ts'

export const skillsReport = defineWrite({
  name: 'skills.report',
  summary: 'Say whether using a skill worked; a case in which it did may be kept as an example.',
  positional: ['name'],
  input: () =>
    z.strictObject({
      name: keyField(),
      success: z.boolean(),
      example: z.unknown().optional(),
      ...writeOptions,
    }),
  example: 'mneme skills report "brew tea" --success --user ann',
  async plan(call, input, scope) {
    const current = await requireNamed(call.core, skillKind, input.name, scope, input.signal)
    const skill = skillKind.of(current.record)
    if (!skill || input.example === undefined || !input.success) return planReport(call, current, input.success)
    const example = { ...(input.example as object), occurredAt: formatInstant(call.core.clock()) }
    // The latest ones: however often it works, that can be said.
    const grown = parseSkill({ ...skill, examples: [...skill.examples, example].slice(-maxExamples) })
    return planReport(call, current, input.success, payloadOf(grown))
  },
  answer: (answered): ReportResult => answerReport(answered),
})
