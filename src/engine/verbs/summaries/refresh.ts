import { z } from 'zod'
import { counterField } from '../../../context/index.ts'
import type { TokenCounter } from '../../../contract/index.ts'
import { InputError } from '../../../errors/index.ts'
import { citedText, type SummarySentence, summaryText } from '../../../learning/index.ts'
import type { Scope } from '../../../model/index.ts'
import { counterFor } from '../../../text/index.ts'
import { writeScope } from '../../access.ts'
import type { Degradation } from '../../api/searching.ts'
import type { RefreshResult } from '../../api/summaries.ts'
import { type SummaryName, summaryNames, summarySources } from '../../summaries/kept-summary.ts'
import { type Refreshed, refreshSummary } from '../../summaries/refresh-summary.ts'
import { defaultSummaryTokens, summaryWriter } from '../../summaries/summary-writer.ts'
import { defineVerb, writeOptions } from '../../verb.ts'
import { callKey, outcomeOf, runWrite } from '../../write-verb.ts'

/** Most tokens that a summary may have. */
export const maxSummaryTokens = 100_000

/** @throws InputError INVALID_ARGUMENT for the summary of a session where the scope names none */
function checkSummaryScope(name: SummaryName, scope: Scope): void {
  if (name !== 'session' || scope.sessionId !== undefined) return
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: "summaries: the summary 'session' belongs to a session. Give a scope with a sessionId.",
  })
}

export const summariesRefresh = defineVerb({
  name: 'summaries.refresh',
  summary: 'Keep a summary of a session or a profile, made of what changed since and what it said before.',
  positional: ['name'],
  input: () =>
    z.strictObject({
      name: z.enum(summaryNames),
      tokens: z.int().min(1).max(maxSummaryTokens).optional(),
      counter: counterField(),
      rebuild: z.boolean().optional(),
      ...writeOptions,
    }),
  writes: true,
  example: 'mneme summaries refresh profile --user ann',
  async run({ core, access }, given): Promise<RefreshResult> {
    const { name, rebuild, signal } = given
    const scope = writeScope(access, given.scope)
    checkSummaryScope(name, scope)
    const counter: TokenCounter = counterFor(given.counter)
    const budget = { tokens: given.tokens ?? defaultSummaryTokens, counter, render: summaryText }
    const from = summarySources(name, scope)
    const write = summaryWriter(core, scope, budget, signal)
    let degraded: readonly Degradation[] = []
    let sentences: readonly SummarySentence[] | undefined
    const plan = async () => {
      const refreshed: Refreshed = await refreshSummary(core, {
        name,
        scope,
        from,
        write,
        rebuild,
        signal,
      })
      ;({ degraded, sentences } = refreshed)
      const { steps, record } = refreshed
      return { steps, refs: record ? [record] : [] }
    }
    const { counter: _counter, ...keyed } = given
    const key = callKey('summaries.refresh', scope, { ...keyed, counter: counter.name } as typeof given)
    return runWrite<RefreshResult>(
      core,
      {
        name: 'summaries.refresh',
        scope,
        plan,
        answer(answered) {
          const { degraded: failed = [], ...outcome } = outcomeOf(answered)
          const all = [...degraded, ...failed]
          const record = answered.records[0] ?? null
          const sources = sentences ? citedText(sentences).sources : (record?.source.from ?? [])
          return {
            record,
            text: record?.content ?? '',
            sources,
            ...outcome,
            ...(all.length === 0 ? {} : { degraded: all }),
          }
        },
      },
      given,
      key,
    )
  },
})
