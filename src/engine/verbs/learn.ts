import { z } from 'zod'
import { conflictPolicyField } from '../../kinds/index.ts'
import { parseMessages } from '../../learning/index.ts'
import { writeScope } from '../access.ts'
import type { LearnResult } from '../api/learning.ts'
import { createLearner } from '../learner/learner.ts'
import { defineVerb, writeOptions } from '../verb.ts'
import { callKey, runWrite } from '../write-verb.ts'

/** More than so many memories beside each fact would hide from a model what matters. */
const mostSimilar = 50

export const learn = defineVerb({
  name: 'learn',
  summary: 'Learn what a conversation teaches: facts with the words they come from, compared with what is known.',
  positional: ['messages'],
  input: () =>
    z.strictObject({
      messages: z.unknown(),
      mode: z.enum(['auto', 'model', 'rules', 'verbatim']).optional(),
      instructions: z.string().min(1).max(8192).optional(),
      similar: z.int().min(1).max(mostSimilar).optional(),
      onFailure: z.enum(['keep', 'drop']).optional(),
      onConflict: conflictPolicyField(),
      ...writeOptions,
    }),
  writes: true,
  example: 'mneme learn "My name is Ann and I live in Bonn" --user ann --dry-run',
  async run(call, input): Promise<LearnResult> {
    const { mode = 'auto', similar = call.core.defaults.similar, ...options } = input
    const scope = writeScope(call.access, input.scope)
    const messages = parseMessages(input.messages)
    const learner = createLearner(call, scope, messages, { ...options, mode, similar })
    const write = { name: 'learn', scope, plan: learner.plan, answer: learner.answer }
    return runWrite(call.core, write, input, callKey('learn', scope, input))
  },
})
