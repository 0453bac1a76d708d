import { z } from 'zod'
import { madeOnce } from '../../model/index.ts'
import type { AddManyResult, AddResult } from '../api/write-results.ts'
import { writeOptions } from '../verb.ts'
import { type Answered, defineWrite, outcomeOf } from '../write-verb.ts'
import { type AddExtra, planAdds } from './add-planning.ts'

const addOptions = madeOnce(() => ({
  ...writeOptions,
  ifExists: z.enum(['error', 'update', 'skip']).optional(),
  dedupe: z.boolean().optional(),
}))

interface AddInput {
  readonly ifExists?: 'error' | 'update' | 'skip' | undefined
  readonly dedupe?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

function policyOf(input: AddInput) {
  return { ifExists: input.ifExists ?? 'error', dedupe: input.dedupe ?? true, signal: input.signal }
}

/** How a memory of the call fared. */
function fared({ extra }: Answered, place: number): Pick<AddResult, 'outcome' | 'conflict'> {
  const one = (extra as AddExtra[])[place] as AddExtra
  return typeof one === 'string' ? { outcome: one } : one
}

export const add = defineWrite({
  name: 'add',
  summary: 'Remember something.',
  positional: ['memory'],
  input: () => z.strictObject({ memory: z.unknown(), ...addOptions() }),
  example: 'mneme add "Ann moved to Bremen in May 2026" --user ann --tags home',
  plan: (call, input, scope, round) => planAdds(call, [input.memory], scope, policyOf(input), round),
  answer: (answered): AddResult => ({
    record: answered.records[0] as AddResult['record'],
    ...outcomeOf(answered),
    ...fared(answered, 0),
  }),
})

export const addMany = defineWrite({
  name: 'addMany',
  summary: 'Remember many things in one transaction: all or nothing.',
  positional: ['memories'],
  input: () => z.strictObject({ memories: z.array(z.unknown()).max(100_000), ...addOptions() }),
  example: 'mneme add-many \'["Ann plays the cello", "Ann is allergic to hazelnuts"]\' --user ann',
  plan: (call, input, scope) => planAdds(call, input.memories, scope, policyOf(input)),
  answer: (answered): AddManyResult => ({
    results: answered.records.map((record, i) => ({
      record,
      ...fared(answered, i),
    })),
    ...outcomeOf(answered),
  }),
})
