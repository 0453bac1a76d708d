import { z } from 'zod'
import { toolKind } from '../../../kinds/index.ts'
import type { ReportResult } from '../../api/retention.ts'
import { keyField } from '../../keyed.ts'
import { writeOptions } from '../../verb.ts'
import { defineWrite } from '../../write-verb.ts'
import { requireNamed } from '../named/require-named.ts'
import { answerReport, planReport } from '../report.ts'

export const toolsReport = defineWrite({
  name: 'tools.report',
  summary: 'Say whether using a tool worked.',
  positional: ['name'],
  input: () => z.strictObject({ name: keyField(), success: z.boolean(), ...writeOptions }),
  example: 'mneme tools report kettle --success --user ann',
  plan: async (call, input, scope) =>
    planReport(call, await requireNamed(call.core, toolKind, input.name, scope, input.signal), input.success),
  answer: (answered): ReportResult => answerReport(answered),
})
