import { z } from 'zod'
import { madeOnce } from '../model/index.ts'

/** What a model answers that was asked to compare facts with memories. */
export const adviceSchema = madeOnce(() =>
  z.object({
    decisions: z
      .array(
        z.object({
          fact: z.int(),
          op: z.enum(['add', 'noop', 'update', 'supersede', 'invalidate', 'conflict']),
          memory: z.int().nullish(),
        }),
      )
      .max(2000),
  }),
)

export type ModelAdvice = z.infer<ReturnType<typeof adviceSchema>>

/** What is to be done with one fact; `memory` is a number that the model was shown beside it. */
export type OneAdvice =
  | { readonly op: 'add' }
  | { readonly op: 'noop' | 'update' | 'supersede' | 'invalidate' | 'conflict'; readonly memory: number }

/** What was asked of each fact, in order: the numbers of the memories that were shown beside it. */
export type Asked = readonly { readonly similar: readonly number[] }[]

const changing = new Set(['update', 'supersede', 'invalidate', 'conflict'])

/**
 * A model's advice on each fact, as far as it can be followed: one decision a fact, about a memory that was shown beside it, and one
 * change a memory. Everything else is refused and left undefined, for rules to decide (LRN-19).
 */
export function readAdvice(
  { decisions }: ModelAdvice,
  asked: Asked,
): { readonly advice: readonly (OneAdvice | undefined)[]; readonly refused: number } {
  const advice: (OneAdvice | undefined)[] = asked.map(() => undefined)
  const changes = new Map<number, number>()
  for (const { op, memory } of decisions)
    if (changing.has(op) && memory != null) changes.set(memory, (changes.get(memory) ?? 0) + 1)
  const perFact = new Map<number, number>()
  for (const { fact } of decisions) perFact.set(fact, (perFact.get(fact) ?? 0) + 1)
  let refused = 0
  for (const { fact, op, memory } of decisions) {
    const about = asked[fact - 1]
    const isOnce = perFact.get(fact) === 1
    const isShown = memory != null && about?.similar.includes(memory)
    if (about && isOnce && op === 'add') advice[fact - 1] = { op }
    else if (about && isOnce && op !== 'add' && isShown && (changes.get(memory) ?? 0) <= 1)
      advice[fact - 1] = { op, memory }
    else refused++
  }
  return { advice, refused }
}
