import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import {
  type JsonObject,
  madeOnce,
  maxContentBytes,
  normaliseInstant,
  parseMetadata,
  parseWith,
} from '../../model/index.ts'
import { count, filled, maxLine, maxName, maxText, text, versionField } from '../fields.ts'

/** A step that calls a tool. */
export interface ToolStep {
  readonly tool: string
  readonly arguments?: JsonObject
  readonly notes?: string
}

/** A case in which the skill worked. */
export interface SkillExample {
  readonly inputs: JsonObject
  readonly outputs: JsonObject
  /** ISO 8601, UTC. */
  readonly occurredAt: string
}

/** How something is done, and how often that worked. */
export interface Skill {
  /** One line of versions has one name; compared exactly. */
  readonly name: string
  readonly description: string
  /** When to use it. */
  readonly trigger: string
  readonly steps: readonly (string | ToolStep)[]
  /** What must hold before it is used. */
  readonly preconditions: readonly string[]
  /** What holds afterwards; empty when nothing is said. */
  readonly expectedOutcome: string
  readonly examples: readonly SkillExample[]
  /** From 1. */
  readonly version: number
  readonly successes: number
  readonly failures: number
}

/** A skill as a caller gives it. */
export interface NewSkill {
  /** Up to 512 characters. @default the trigger */
  readonly name?: string | undefined
  /** Up to 4096 characters. @default the trigger */
  readonly description?: string | undefined
  /** Up to 4096 characters, not blank. */
  readonly trigger: string
  /** Up to 1000 steps of up to 65 536 characters. @default [] */
  readonly steps?: readonly (string | ToolStep)[] | undefined
  /** One, or up to 100, of up to 4096 characters. @default [] */
  readonly preconditions?: string | readonly string[] | undefined
  /** Up to 65 536 characters. @default '' */
  readonly expectedOutcome?: string | undefined
  /** Up to 1000. `occurredAt` is an instant with an offset. @default [] */
  readonly examples?:
    | readonly { readonly inputs?: JsonObject; readonly outputs?: JsonObject; readonly occurredAt: string }[]
    | undefined
  /** A whole number from 1. @default 1 */
  readonly version?: number | undefined
  /** @default 0 */
  readonly successes?: number | undefined
  /** @default 0 */
  readonly failures?: number | undefined
}

/** Most examples that a skill has. */
export const maxExamples = 1000

const toolStepSchema = madeOnce(() =>
  z.strictObject({
    tool: filled(maxName),
    arguments: z.unknown().optional(),
    notes: text(maxText).optional(),
  }),
)

const textStepSchema = madeOnce(() => filled(maxText))

/** One complaint about the form that was meant, where a union would have one about each. */
const stepSchema = madeOnce(() =>
  z.unknown().transform((value, context) => {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      context.addIssue({ code: 'custom', message: 'must be a string or { tool, arguments?, notes? }' })
      return z.NEVER
    }
    const result = typeof value === 'string' ? textStepSchema().safeParse(value) : toolStepSchema().safeParse(value)
    if (result.success) return result.data
    for (const issue of result.error.issues) context.addIssue(issue as Parameters<typeof context.addIssue>[0])
    return z.NEVER
  }),
)

const skillSchema = madeOnce(() =>
  z.strictObject({
    name: filled(maxName).optional(),
    description: filled(maxLine).optional(),
    trigger: filled(maxLine),
    steps: z.array(stepSchema()).max(1000).optional(),
    preconditions: z.preprocess(
      (value) => (typeof value === 'string' ? [value] : value),
      z.array(filled(maxLine)).max(100).optional(),
    ),
    expectedOutcome: text(maxText).optional(),
    examples: z
      .array(
        z.strictObject({ inputs: z.unknown().optional(), outputs: z.unknown().optional(), occurredAt: z.string() }),
      )
      .max(maxExamples)
      .optional(),
    version: versionField().optional(),
    successes: count().optional(),
    failures: count().optional(),
  }),
)

function nameOf(trigger: string, what: string): string {
  if (trigger.length <= maxName) return trigger
  throw new InputError({
    code: 'INVALID_RECORD',
    message: `${what}.name: is missing, and a trigger of more than ${maxName} characters can't stand for it.`,
    details: { path: `${what}.name` },
  })
}

/**
 * A checked copy of a skill, its defaults filled in: nothing of it changes with the original (SKL-1).
 * @throws InputError UNKNOWN_FIELD, INVALID_RECORD or INVALID_TIME, naming the field and never its value
 */
export function parseSkill(value: unknown, what = 'skill'): Skill {
  const given = parseWith(skillSchema(), value, what, 'INVALID_RECORD')
  const object = (part: unknown, path: string) => (part === undefined ? {} : parseMetadata(part, path))
  const skill: Skill = {
    name: given.name ?? nameOf(given.trigger, what),
    description: given.description ?? given.trigger,
    trigger: given.trigger,
    steps: (given.steps ?? []).map((step, i) => {
      if (typeof step === 'string') return step
      const { arguments: values, ...rest } = step
      const path = `${what}.steps[${i}].arguments`
      return {
        tool: rest.tool,
        ...(values === undefined ? {} : { arguments: parseMetadata(values, path) }),
        ...(rest.notes === undefined ? {} : { notes: rest.notes }),
      }
    }),
    preconditions: given.preconditions ?? [],
    expectedOutcome: given.expectedOutcome ?? '',
    examples: (given.examples ?? []).map(({ inputs, outputs, occurredAt }, i) => ({
      inputs: object(inputs, `${what}.examples[${i}].inputs`),
      outputs: object(outputs, `${what}.examples[${i}].outputs`),
      occurredAt: normaliseInstant(occurredAt, `${what}.examples[${i}].occurredAt`),
    })),
    version: given.version ?? 1,
    successes: given.successes ?? 0,
    failures: given.failures ?? 0,
  }
  if (Buffer.byteLength(JSON.stringify(skill)) > maxContentBytes) {
    throw new InputError({
      code: 'INVALID_RECORD',
      message: `${what}: larger than 1 MiB. Keep fewer examples or shorter steps.`,
      details: { path: what },
    })
  }
  return skill
}

/** What of a skill is embedded and matched with a need: when to use it and what it does, each said once. */
export function skillText({ trigger, description }: Pick<Skill, 'trigger' | 'description'>): string {
  return trigger === description ? trigger : `${trigger}. ${description}`
}
