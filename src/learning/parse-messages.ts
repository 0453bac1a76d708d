import { z } from 'zod'
import { InputError } from '../errors/index.ts'
import { madeOnce, maxContentBytes, normaliseInstant, parseWith, parseZone, timeText } from '../model/index.ts'
import type { Message } from './message.ts'

/** Messages of one call, and their characters in all: what is longer is learnt from in several calls. */
export const maxMessages = 1000
export const maxCharacters = 1_000_000

const partSchema = madeOnce(() => z.strictObject({ type: z.literal('text'), text: z.string() }))

const messageSchema = madeOnce(() =>
  z.strictObject({
    role: z.enum(['user', 'assistant', 'system', 'tool']),
    content: z.union(
      [z.string(), z.array(partSchema()).max(1000)],
      'must be a string, or parts { type: "text", text }',
    ),
    name: z.string().min(1).max(1024).optional(),
    at: timeText().optional(),
    zone: z.string().optional(),
  }),
)

const messagesSchema = madeOnce(() =>
  z.array(messageSchema()).max(maxMessages, `more than ${maxMessages} messages: learn them in several calls`),
)

function textOf(content: string | readonly { readonly text: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n')
}

/**
 * When each was said: a message without a time was said when the one before it was, the first ones when the next was. So it never
 * counts as said now beside messages of last year; and a conversation that goes on gives none of them another time (LRN-21).
 */
function dated(messages: readonly Message[]): readonly Message[] {
  let at = messages.find((message) => message.at !== undefined)?.at
  if (at === undefined) return messages
  return messages.map((message) => {
    at = message.at ?? at
    return { ...message, at }
  })
}

/**
 * Messages as they are learnt from: parts joined, times in UTC. A text is one message of the user.
 * @throws InputError UNKNOWN_FIELD, INVALID_TIME for a time without an offset, LIMIT_OUT_OF_RANGE, INVALID_ARGUMENT
 */
export function parseMessages(given: unknown): readonly Message[] {
  const listed = typeof given === 'string' ? [{ role: 'user', content: given }] : given
  const messages = parseWith(messagesSchema(), listed, 'messages').map(
    ({ role, content, name, at, zone }, i): Message => {
      const what = `messages[${i}]`
      return {
        role,
        content: textOf(content),
        ...(name === undefined ? {} : { name }),
        ...(at === undefined ? {} : { at: normaliseInstant(at, `${what}.at`) }),
        ...(zone === undefined ? {} : { zone: parseZone(zone, `${what}.zone`) }),
      }
    },
  )
  for (const [i, { content }] of messages.entries()) {
    if (content.length * 3 <= maxContentBytes || Buffer.byteLength(content) <= maxContentBytes) continue
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `messages[${i}].content: larger than 1 MiB, the most that a memory holds. Give it in parts.`,
      details: { field: `messages[${i}].content` },
    })
  }
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0)
  if (characters > maxCharacters) {
    throw new InputError({
      code: 'LIMIT_OUT_OF_RANGE',
      message: `messages: hold ${characters} characters, ${maxCharacters} are the most of one call. Learn them in several calls.`,
      details: { field: 'messages' },
    })
  }
  return dated(messages)
}
