import { z } from 'zod'
import { InputError } from '../errors/index.ts'
import { kindSchema, madeOnce, parseInstant, type Scope, type Status, statuses, timeText } from '../model/index.ts'
import type { Access } from './access.ts'
import type { Core } from './core.ts'
import type { CoreParts } from './open-core.ts'

/** What a verb runs on: the engine's services and what the caller may touch. */
export interface Call {
  readonly core: Core
  readonly access: Access
}

/** What an engine is made of, before it is open. */
export interface Opening {
  readonly parts: CoreParts
  open(): Promise<unknown>
}

/**
 * One thing that a memory can do. The engine's methods, its views and the command line are all made from the table of
 * verbs, so no surface can drift from another.
 */
export interface Verb<Input extends z.ZodObject = z.ZodObject, Output = unknown> {
  /** `kv.put` is the method `put` of the group `kv`, and `mneme kv put`. */
  readonly name: string
  /** One sentence for help texts. */
  readonly summary: string
  /** Fields of the input that are written as arguments, in order; everything else is an option. */
  readonly positional: readonly string[]
  readonly input: Input
  readonly writes: boolean
  /** Answers with an AsyncIterable instead of a promise. */
  readonly streams?: boolean
  /** Not for views: it looks after the whole store. */
  readonly caretaker?: boolean
  /** The records that an answer shows: a read that says so is journalled when it gives a reason. Of a stream, none. */
  shows?(output: Awaited<Output>): Iterable<{ readonly id: string; readonly scope: Scope }>
  /** Answers what was kept, as it is, such as a record: nothing about the call is added to it. */
  readonly asKept?: boolean
  /** Is whole or a failure: whoever goes on from its answer would never make up for what it left out. Streams are so anyway. */
  readonly whole?: boolean
  /** Answers where the store does not open; null once it is open: then `run` answers. Without it the failure is the answer. */
  unopened?(opening: Opening, input: z.infer<Input>): Promise<NoInfer<Awaited<Output>> | null>
  /** What callers get of it, where `run` knows more than they are to see. */
  present?(output: Awaited<Output>): unknown
  /** A command line that works on the sample memory. */
  readonly example: string
  run(call: Call, input: z.infer<Input>): Output
}

/** A verb as it is written down: its input's schema is made when it is first used. */
export interface VerbDefinition<Input extends z.ZodObject, Output> extends Omit<Verb<Input, Output>, 'input'> {
  input(): Input
}

/** Keeps the types of a verb's input and output while checking its shape. */
export function defineVerb<Input extends z.ZodObject, Output>(
  definition: VerbDefinition<Input, Output>,
): Verb<Input, Output> {
  const input = madeOnce(definition.input)
  return {
    ...definition,
    get input() {
      return input()
    },
  }
}

const signal = madeOnce(() =>
  z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal').optional(),
)

const reasonField = madeOnce(() => z.string().min(1).max(4096).optional())
const actorField = madeOnce(() => z.string().min(1).max(1024).optional())

// Getters, so that spreading one into a schema makes its fields, and not importing this file.

/** Options of every read. */
export const readOptions = {
  get scope() {
    return z.unknown().optional()
  },
  get allScopes() {
    return z.boolean().optional()
  },
  get include() {
    return z.literal('shared').optional()
  },
  get reason() {
    return reasonField()
  },
  get actor() {
    return actorField()
  },
  get signal() {
    return signal()
  },
}

/** Options of reads by key: of one exact scope, or the nearest. */
export const keyedReadOptions = {
  get scope() {
    return readOptions.scope
  },
  get include() {
    return readOptions.include
  },
  get reason() {
    return reasonField()
  },
  get actor() {
    return actorField()
  },
  get signal() {
    return signal()
  },
}

/** Options of every write. */
export const writeOptions = {
  get scope() {
    return z.unknown().optional()
  },
  get idempotencyKey() {
    return z.string().min(1).max(512).optional()
  },
  get dryRun() {
    return z.boolean().optional()
  },
  get reason() {
    return reasonField()
  },
  get actor() {
    return actorField()
  },
  get signal() {
    return signal()
  },
}

export const signalOption = {
  get signal() {
    return signal()
  },
}

export const idField = madeOnce(() => z.string().min(1).max(512))
export const idsField = madeOnce(() => z.array(idField()).max(100_000))
export const kindsField = madeOnce(() => z.array(kindSchema()).max(100).optional())
export const tagsField = madeOnce(() => z.array(z.string().min(1)).max(100).optional())
export const statusField = madeOnce(() =>
  z.union([z.enum(statuses), z.literal('any'), z.array(z.enum(statuses)).min(1)]).optional(),
)
export const timeField = madeOnce(() => timeText().optional())
export const cursorField = madeOnce(() => z.string().min(1).max(8192).optional())

/** Statuses that a caller's `status` means. */
export function statusesOf(
  given: z.infer<ReturnType<typeof statusField>>,
  otherwise: readonly Status[],
): readonly Status[] {
  if (given === undefined) return otherwise
  if (given === 'any') return statuses
  return typeof given === 'string' ? [given as Status] : given
}

/** What a read shows when no status is asked for: of a moment also what held then and was superseded since (SEA-40). */
export function usualStatuses(validAt: unknown): readonly Status[] {
  return validAt === undefined ? ['live'] : ['live', 'superseded']
}

export function optionalInstant(value: string | undefined, path: string): number | undefined {
  return value === undefined ? undefined : parseInstant(value, path)
}

/** A limit as given or its default; never clamped (RED-20). @throws InputError LIMIT_OUT_OF_RANGE */
export function limitOf(given: number | undefined, otherwise: number): number {
  const limit = given ?? otherwise
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new InputError({
      code: 'LIMIT_OUT_OF_RANGE',
      message: 'limit: must be a whole number from 1 to 1000. Use the cursor for more.',
      details: { field: 'limit' },
    })
  }
  return limit
}

/** Any number here: `limitOf` judges it, so that every limit fails with the same code. */
export const limitField = madeOnce(() => z.number().optional())
