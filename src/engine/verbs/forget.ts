import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import { type ForgetSelection, forgettable } from '../../kinds/index.ts'
import { reachScope, writeScope } from '../access.ts'
import type { ForgetResult } from '../api/retention.ts'
import { firstOf, inParts, outcomeOfParts, writeAll } from '../parts.ts'
import { type Outline, outlines, retiringSteps } from '../retiring.ts'
import { type Call, defineVerb, kindsField, tagsField, writeOptions } from '../verb.ts'
import { type Answered, callKey, outcomeOf, type Planned, runWrite } from '../write-verb.ts'

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

const input = () =>
  z.strictObject({
    strategy: z.enum(['importance', 'age', 'capacity']),
    below: z.number().min(0).max(1).optional(),
    olderThanDays: z.number().positive().max(36_500).optional(),
    keep: z.int().min(0).optional(),
    mode: z.enum(['archive', 'delete']).optional(),
    kinds: kindsField(),
    tags: tagsField(),
    ...writeOptions,
  })
type Input = z.infer<ReturnType<typeof input>>

async function forgettableNow({ core, access }: Call, given: Input): Promise<readonly Outline[]> {
  const selection = selectionOf(given)
  const now = core.clock()
  const { lifetimes } = core.policies
  const query = { kinds: given.kinds, tags: given.tags, now, lifetimes, signal: given.signal }
  return forgettable(await outlines(core, reachScope(access, given.scope), query), selection, now)
}

async function planForgetting(call: Call, given: Input, all: readonly Outline[]): Promise<Planned> {
  const some = firstOf(all, ({ length }) => length)
  const why = `forget by ${given.strategy}`
  const retired = some.map(({ id, version }) => ({ id, version, archived: given.mode !== 'delete', why }))
  const steps = await retiringSteps(call.core, reachScope(call.access, given.scope), retired, given.signal)
  return { steps, refs: [], extra: { ids: some.map(({ id }) => id), more: some.length < all.length } }
}

interface Forgotten extends ForgetResult {
  /** There was more to forget. */
  readonly more: boolean
}

function answerForgotten(answered: Answered): Forgotten {
  return { ...(answered.extra as { readonly ids: string[]; readonly more: boolean }), ...outcomeOf(answered) }
}

export const forget = defineVerb({
  name: 'forget',
  summary: 'Archive or delete what matters least: by importance, by age or beyond a number.',
  positional: [],
  input,
  writes: true,
  example: 'mneme forget --strategy importance --below 0.3 --dry-run --user ann',
  async run(call, given): Promise<ForgetResult> {
    const { core } = call
    const scope = writeScope(call.access, given.scope)
    selectionOf(given)
    const key = callKey('forget', scope, given)
    const write = { name: 'forget', scope, answer: answerForgotten }
    if (given.dryRun) {
      const all = await forgettableNow(call, given)
      const { more, ...answer } = await runWrite(
        core,
        { ...write, plan: () => planForgetting(call, given, all) },
        given,
        key,
      )
      return more ? { ids: all.map(({ id }) => id) } : answer
    }
    const parts = inParts(core, write, given, key, 'make the call again to go on.')
    const answers = await writeAll(parts, async () => planForgetting(call, given, await forgettableNow(call, given)))
    return { ids: answers.flatMap(({ ids }) => ids), ...outcomeOfParts(parts.tx, answers) }
  },
})
