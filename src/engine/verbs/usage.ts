import { z } from 'zod'
import type { MemoryRecord } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { UsageDay, UsageResult } from '../api/reading.ts'
import { ledgerDay, ledgerKind } from '../language-model/ledger.ts'
import { listAll } from '../listing.ts'
import { defineVerb, optionalInstant, readOptions, timeField } from '../verb.ts'

const dayMs = 86_400_000

function shown(record: MemoryRecord): UsageDay {
  const { reserved, cost, ...taken } = ledgerDay(record)
  const waiting = Object.values(reserved).reduce((sum, { tokens }) => sum + tokens, 0)
  return {
    day: record.key ?? '',
    scope: record.scope,
    ...taken,
    reserved: waiting,
    ...(cost === undefined ? {} : { cost }),
  }
}

function sumOf(days: readonly UsageDay[]): UsageResult['total'] {
  const sum = (of: (day: UsageDay) => number) => days.reduce((total, day) => total + of(day), 0)
  return {
    calls: sum(({ calls }) => calls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    estimated: sum(({ estimated }) => estimated),
    reserved: sum(({ reserved }) => reserved),
    ...(days.some(({ cost }) => cost !== undefined) ? { cost: sum(({ cost = 0 }) => cost) } : {}),
  }
}

export const usage = defineVerb({
  name: 'usage',
  summary: 'What language models took, by day and scope: calls, tokens, money.',
  positional: [],
  input: () => z.strictObject({ since: timeField(), ...readOptions }),
  writes: false,
  example: 'mneme usage --user ann',
  async run({ core, access }, input): Promise<UsageResult> {
    const since = optionalInstant(input.since, 'since')
    const found = await listAll(core, readScope(access, input), {
      kinds: [ledgerKind],
      statuses: ['live'],
      // A day is made with its first call: that of the time asked for may have begun before it.
      since: since === undefined ? undefined : since - (since % dayMs),
      signal: input.signal,
    })
    const days = found.map(({ record }) => shown(record)).sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0))
    return { days, total: sumOf(days), model: core.model?.id ?? null, perDay: core.modelLimits.perDay ?? null }
  },
})
