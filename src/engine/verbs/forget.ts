import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { type ForgetSelection, forgettable } from '../../kinds/index.ts'
import { reachScope } from '../access.ts'
import type { ForgetResult } from '../api/retention.ts'
import { listAll } from '../listing.ts'
import { kindsField, tagsField, writeOptions } from '../verb.ts'
import { defineWrite, outcomeOf } from '../write-verb.ts'
import { archiveStep, removeStep } from './maintain.ts'

interface ForgetInput {
  readonly strategy: ForgetSelection['strategy']
  readonly below?: number | undefined
  readonly olderThanDays?: number | undefined
  readonly keep?: number | undefined
}

/** The one option that each strategy reads; whether it must be given. */
const optionOf = {
  importance: { name: 'below', required: false },
  age: { name: 'olderThanDays', required: true },
  capacity: { name: 'keep', required: true },
} as const

/** @throws InputError INVALID_ARGUMENT for an option that is missing, or that belongs to another strategy */
function selectionOf(input: ForgetInput): ForgetSelection {
  const { strategy } = input
  const own = optionOf[strategy]
  const foreign = Object.values(optionOf).find(({ name }) => name !== own.name && input[name] !== undefined)
  if (foreign) throw refused(`${foreign.name} does not go with the strategy ${strategy}. Leave it out.`)
  if (own.required && input[own.name] === undefined) throw refused(`the strategy ${strategy} needs ${own.name}.`)
  return { strategy, [own.name]: input[own.name] } as unknown as ForgetSelection
}

function refused(message: string): InputError {
  return new InputError({ code: 'INVALID_ARGUMENT', message: `forget: ${message}` })
}

export const forget = defineWrite({
  name: 'forget',
  summary: 'Archive or delete what matters least: by importance, by age or beyond a number.',
  positional: [],
  input: () =>
    z.strictObject({
      strategy: z.enum(['importance', 'age', 'capacity']),
      below: z.number().min(0).max(1).optional(),
      olderThanDays: z.number().positive().max(36_500).optional(),
      keep: z.int().min(0).optional(),
      mode: z.enum(['archive', 'delete']).optional(),
      kinds: kindsField(),
      tags: tagsField(),
      ...writeOptions,
    }),
  example: 'mneme forget --strategy importance --below 0.3 --dry-run --user ann',
  async plan({ core, access }, input) {
    const selection = selectionOf(input)
    const now = core.clock()
    const { lifetimes } = core.policies
    const query = { kinds: input.kinds, tags: input.tags, now, lifetimes, signal: input.signal }
    const found = await listAll(core, reachScope(access, input.scope), query)
    const stored = new Map(found.map((one) => [one.record.id, one]))
    const records = forgettable(
      found.map(({ record }) => record),
      selection,
      now,
    )
    const step = input.mode === 'delete' ? removeStep : archiveStep
    return {
      steps: records.map(({ id }) => step(stored.get(id) as StoredRecord, `forget by ${selection.strategy}`)),
      refs: [],
      extra: records.map(({ id }) => id),
    }
  },
  answer: (answered): ForgetResult => ({ ids: answered.extra as unknown as string[], ...outcomeOf(answered) }),
})
