import { z } from 'zod'
import { keyedScopes } from '../../access.ts'
import type { KeptSummaryResult } from '../../api/summaries.ts'
import { isGone, type Made, made } from '../../keyed.ts'
import { summaryNames, summarySources } from '../../summaries/kept-summary.ts'
import { keptSummary, unreadRecords } from '../../summaries/refresh-summary.ts'
import { defineVerb, keyedReadOptions } from '../../verb.ts'

export const summariesGet = defineVerb({
  name: 'summaries.get',
  summary: 'Show the kept summary of a session or a profile, and whether it is out of date.',
  positional: ['name'],
  input: () => z.strictObject({ name: z.enum(summaryNames), ...keyedReadOptions }),
  writes: false,
  ...made,
  example: 'mneme summaries refresh profile --user ann && mneme summaries get profile --user ann',
  async run({ core, access }, { name, signal, ...given }): Promise<Made<KeptSummaryResult | null>> {
    for (const scope of keyedScopes(access, given)) {
      const from = summarySources(name, scope)
      const kept = await keptSummary(core, { name, scope, from, signal })
      if (!kept || isGone(core, kept.stored.record)) continue
      const { data, valid, stored } = kept
      const unread = data
        ? (await unreadRecords(core, { name, from, signal }, { data, id: stored.record.id }, 1)).records.length > 0
        : true
      const stale = unread || valid.length !== data?.sentences.length
      const { record } = stored
      const answer = { record, text: record.content, sources: record.source.from ?? [], stale }
      return { from: [record], answer }
    }
    return { from: [], answer: null }
  },
})
