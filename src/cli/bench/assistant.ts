import { z } from 'zod'
import { parseWith } from '../../model/index.ts'
import type { BenchSet, Conversation } from './bench-set.ts'

const fileSchema = z.looseObject({
  users: z.array(
    z.looseObject({
      id: z.string(),
      timezone: z.string(),
      sessions: z.array(
        z.looseObject({
          at: z.string(),
          turns: z.array(z.looseObject({ id: z.string(), role: z.enum(['user', 'assistant']), text: z.string() })),
        }),
      ),
      questions: z.array(
        z.looseObject({
          category: z.string(),
          question: z.string(),
          evidence: z.array(z.string()),
          stale: z.array(z.string()).default([]),
        }),
      ),
    }),
  ),
})

const actors = { user: 'User', assistant: 'Assistant' } as const

/**
 * Reads the parsed JSON of an assistant set: users who talk with one assistant. Only `evidence` counts as found;
 * `also`, turns that repeat it, does not.
 * @throws InputError for another shape
 */
export function assistantSet(json: unknown): BenchSet {
  const { users } = parseWith(fileSchema, json, 'file')
  const conversations = users.map(
    (user): Conversation => ({
      id: user.id,
      turns: user.sessions.flatMap(({ at, turns }, i) =>
        turns.map(({ id, role, text }) => ({
          id,
          session: i + 1,
          at,
          zone: user.timezone,
          role,
          actor: actors[role],
          content: text,
        })),
      ),
      questions: user.questions.map(({ category, question, evidence, stale }) => ({
        category,
        text: question,
        evidence,
        stale,
      })),
    }),
  )
  return { name: 'assistant', conversations }
}
