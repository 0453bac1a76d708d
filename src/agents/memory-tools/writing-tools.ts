import { z } from 'zod'
import { ConflictError, InputError, NotFoundError } from '../../errors/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import { type ToolCall, writingTool } from './tool-definition.ts'

const reason = () => z.string().min(1).max(1000).optional().describe('Why, for the history.')
const id = () => z.string().min(1).max(512).describe('The id of a memory, as recall shows it.')
const text = () => z.string().min(1).max(65_536)
const mode = () =>
  z
    .enum(['archive', 'delete'])
    .optional()
    .describe('archive: never recalled again, can be restored (when it is not given). delete: gone for good.')

/** What a model wrote down is its own view of what was said: inferred, never trusted as if a person had written it. */
const source = { type: 'assistant' } as const

/** A memory that the model may change by its text. */
async function requireText({ view, signal }: ToolCall, wanted: string): Promise<MemoryRecord> {
  const record = await view.get(wanted, { signal })
  if (!record) {
    throw new NotFoundError({ code: 'RECORD_NOT_FOUND', message: `There is no memory ${JSON.stringify(wanted)}.` })
  }
  if (record.status !== 'live') {
    throw new ConflictError({
      code: 'CONFLICT',
      message: `This memory is ${record.status} and is not recalled any more.`,
    })
  }
  return record
}

export const remember = writingTool({
  name: 'remember',
  description:
    'Store something for later conversations: a fact, a preference, a decision, an event. One thing a call, as a sentence that can be understood alone, with names instead of "he" or "it". What is there already is not stored twice.',
  destructive: true,
  done: 'Remembered.',
  input: () =>
    z.strictObject({
      text: text().describe('What to remember: one sentence that can be understood alone.'),
      kind: z
        .enum(['semantic', 'episodic'])
        .optional()
        .describe('semantic: a fact that holds (when it is not given). episodic: something that happened.'),
      key: z
        .string()
        .min(1)
        .max(512)
        .optional()
        .describe('A name for a fact that has one value at a time, such as home.city. Another value then replaces it.'),
      importance: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('From 0, a triviality, to 1, vital. 0.5 when it is not given.'),
      tags: z.array(z.string().min(1).max(128)).max(20).optional().describe('A few words to find it by.'),
      happenedAt: z
        .string()
        .optional()
        .describe('Of something that happened: when, as ISO 8601 with an offset, 2026-05-08T14:30:00+02:00.'),
    }),
  async plan({ view, actor, signal }, { text: content, kind = 'semantic', key, happenedAt, ...more }) {
    const options = { dryRun: true, actor, signal } as const
    if (key === undefined) {
      const eventTime = happenedAt === undefined ? {} : { eventTime: { start: happenedAt } }
      return (await view.add({ kind, content, source, ...more, ...eventTime }, options)).plan
    }
    if (kind !== 'semantic' || happenedAt !== undefined || more.importance !== undefined || more.tags !== undefined) {
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message:
          'remember: a key goes with the text of a fact alone, not with another kind, happenedAt, importance or tags.',
      })
    }
    return (await view.facts.set(key, content, { source, ...options })).plan
  },
})

export const correct = writingTool({
  name: 'correct',
  description:
    'Replace what a memory says by what is true now. Use it when something that was recalled is wrong or out of date. The former text is kept in the history.',
  destructive: true,
  done: 'Corrected.',
  input: () =>
    z.strictObject({ id: id(), text: text().describe('What is true now, as a whole sentence.'), reason: reason() }),
  async plan(call, { id: wanted, text: content }) {
    const { view, actor, signal } = call
    const record = await requireText(call, wanted)
    if (record.data !== undefined && record.kind !== 'semantic') {
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: `correct: a memory of kind ${JSON.stringify(record.kind)} has more than a text. Use learn_skill for a skill.`,
      })
    }
    const options = { dryRun: true, actor, signal } as const
    // A fact by name stays one: its value is the new text.
    if (record.key !== undefined && record.data !== undefined) {
      return (await view.facts.set(record.key, content, { source, scope: record.scope, ...options })).plan
    }
    return (await view.supersede(wanted, { content, source }, options)).plan
  },
})

export const forget = writingTool({
  name: 'forget',
  description: 'Forget one memory, by its id. Use it when somebody asks for it, or when a memory was never true.',
  destructive: true,
  done: 'Forgotten.',
  input: () => z.strictObject({ id: id(), mode: mode(), reason: reason() }),
  async plan({ view, actor, signal }, { id: wanted, mode: how = 'archive' }) {
    const options = { dryRun: true, actor, signal } as const
    if (how === 'archive') return (await view.update(wanted, { status: 'archived' }, options)).plan
    const { plan, deleted } = await view.delete(wanted, options)
    if (deleted > 0) return plan
    throw new NotFoundError({ code: 'RECORD_NOT_FOUND', message: `There is no memory ${JSON.stringify(wanted)}.` })
  },
})

export const forgetMany = writingTool({
  name: 'forget_many',
  description:
    'Forget many memories at once: those of little importance, those older than some days, or all but the most important ones. Use it only when somebody asks for it.',
  destructive: true,
  done: 'Forgotten.',
  input: () =>
    z.strictObject({
      strategy: z
        .enum(['importance', 'age', 'capacity'])
        .describe(
          'importance: below a value. age: older than some days. capacity: all but so many of the most important.',
        ),
      below: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('With importance: forget what is below. 0.3 when it is not given.'),
      olderThanDays: z.number().min(0.001).max(36_500).optional().describe('With age, needed: forget what is older.'),
      keep: z.int().min(0).max(1_000_000).optional().describe('With capacity, needed: how many to keep.'),
      kinds: z
        .array(z.enum(['semantic', 'episodic', 'procedural', 'tool', 'entity']))
        .min(1)
        .max(5)
        .optional()
        .describe('Only these kinds. Facts and events, semantic and episodic, when it is not given.'),
      tags: z.array(z.string().min(1).max(128)).min(1).max(20).optional().describe('Only what has all of these tags.'),
      mode: mode(),
      reason: reason(),
    }),
  async plan({ view, actor, signal }, { reason: _reason, kinds = ['semantic', 'episodic'], ...selection }) {
    // Which options go with which strategy is for the verb to say.
    const given = { kinds, ...selection } as Parameters<typeof view.forget>[0]
    const { plan } = await view.forget(given, { dryRun: true, actor, signal })
    if (plan) return plan
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message:
        'forget_many: so many memories do not go in one transaction. Narrow it with kinds, tags or another bound.',
    })
  },
})

export const consolidate = writingTool({
  name: 'consolidate',
  description:
    'Tidy up the memory: what was stored more than once is kept once, and sessions that have ended are summed up. Nothing is deleted. Use it only when somebody asks for it.',
  destructive: true,
  done: 'Tidied up.',
  input: () =>
    z.strictObject({
      olderThanDays: z
        .number()
        .min(0)
        .max(36_500)
        .optional()
        .describe('Only memories made at least so many days ago. All when it is not given.'),
      reason: reason(),
    }),
  async plan({ view, actor, signal }, { olderThanDays }) {
    const { plan } = await view.consolidate({ olderThanDays, dryRun: true, actor, signal })
    if (plan) return plan
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: 'consolidate: so much does not go in one transaction. Somebody has to run it elsewhere.',
    })
  },
})

export const learnSkill = writingTool({
  name: 'learn_skill',
  description:
    'Store how something is done, once it has worked: when to use it and its steps. A skill of the same name gets a new version; the former one is kept.',
  destructive: true,
  done: 'Learned.',
  input: () =>
    z.strictObject({
      trigger: z.string().min(1).max(4096).describe('When to use it, in a few words: "customer wants a refund".'),
      name: z.string().min(1).max(512).optional().describe('A short name. The trigger when it is not given.'),
      description: z.string().min(1).max(4096).optional().describe('What it achieves, in a sentence.'),
      steps: z.array(z.string().min(1).max(8192)).min(1).max(100).describe('What to do, in order.'),
      preconditions: z.array(z.string().min(1).max(4096)).max(20).optional().describe('What must hold before.'),
      expectedOutcome: z.string().max(8192).optional().describe('How to see that it worked.'),
    }),
  async plan({ view, actor, signal }, skill) {
    return (await view.skills.learn(skill, { dryRun: true, actor, signal })).plan
  },
})
