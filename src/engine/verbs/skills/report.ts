import { z } from 'zod'
import { NotFoundError } from '../../../errors/index.ts'
import { parseSkill } from '../../../kinds/index.ts'
import { formatInstant } from '../../../model/index.ts'
import type { ReportResult } from '../../api/retention.ts'
import { holderOf, keyField } from '../../keyed.ts'
import { writeOptions } from '../../verb.ts'
import { defineWrite } from '../../write-verb.ts'
import { answerReport, planReport } from '../report.ts'
import { payloadOf, skillKind, skillOf } from './skill-record.ts'

export const skillsReport = defineWrite({
  name: 'skills.report',
  summary: 'Say whether using a skill worked; a case in which it did may be kept as an example.',
  positional: ['name'],
  input: z.strictObject({
    name: keyField,
    success: z.boolean(),
    example: z.unknown().optional(),
    ...writeOptions,
  }),
  example: 'mneme skills report "brew tea" --success --user ann',
  async plan(call, input, scope) {
    const { core } = call
    const { current } = await holderOf(core, skillKind, input.name, scope, input.signal)
    if (!current) {
      throw new NotFoundError({
        code: 'RECORD_NOT_FOUND',
        message: 'No such skill in this scope. Check the name and the scope of the call.',
        details: { name: input.name },
      })
    }
    const skill = skillOf(current.record)
    if (!skill || input.example === undefined || !input.success) return planReport(call, current, input.success)
    const example = { ...(input.example as object), occurredAt: formatInstant(core.clock()) }
    const grown = parseSkill({ ...skill, examples: [...skill.examples, example] })
    return planReport(call, current, input.success, payloadOf(grown))
  },
  answer: (answered): ReportResult => answerReport(answered),
})
