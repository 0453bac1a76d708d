import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import type { Message } from '../../learning/index.ts'
import { parseInstant, parseWith } from '../../model/index.ts'
import { fold } from '../../text/index.ts'
import { attributesOf } from './rule-attributes.ts'

/** A fact that a conversation teaches, as a person has labelled it. */
export interface FactLabel {
  /** Absent, or no name that is known (`RuleSet.unknownAttributes`): any. */
  readonly attribute?: string | undefined
  readonly value: string
  readonly alternatives: readonly string[]
  /** `user` or a name. */
  readonly about: string
  /** It is true no longer. */
  readonly ended: boolean
  /** Counts neither way. */
  readonly optional: boolean
}

export interface LabelledTurn {
  readonly id: string
  readonly line: number
  readonly messages: readonly Message[]
  readonly facts: readonly FactLabel[]
}

export interface RuleSet {
  readonly turns: readonly LabelledTurn[]
  /** Names of attributes in labels that are not known, in the order in which they come: such labels are compared by value alone. */
  readonly unknownAttributes: readonly string[]
}

const isTime = (value: string): boolean => {
  try {
    parseInstant(value, 'at')
    return true
  } catch {
    return false
  }
}
const time = z.string().refine(isTime, 'must be an ISO 8601 time with an offset')

const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant', 'system', 'tool']).default('user'),
  content: z.string(),
  name: z.string().optional(),
  at: time.optional(),
  zone: z.string().optional(),
})

const factSchema = z.strictObject({
  attribute: z.string().min(1).optional(),
  value: z.union([z.string().min(1), z.number().transform(String)]),
  alternatives: z.array(z.union([z.string().min(1), z.number().transform(String)])).default([]),
  about: z.string().min(1).default('user'),
  ended: z.boolean().default(false),
  optional: z.boolean().default(false),
})

const lineSchema = z
  .looseObject({
    id: z.union([z.string(), z.number().transform(String)]).optional(),
    text: z.string().optional(),
    messages: z.array(messageSchema).min(1).optional(),
    facts: z.array(factSchema),
    at: time.optional(),
  })
  .refine(({ text, messages }) => (text === undefined) !== (messages === undefined), {
    path: ['text'],
    message: 'give either "text" or "messages"',
  })

/** What a line has that names no time is said on this day, so that figures do not change from day to day. */
const day = '2026-05-04T10:00:00Z'

/** `me`, or the name of the only one who speaks. */
function isSpeaker(about: string, messages: readonly Pick<Message, 'role' | 'name'>[]): boolean {
  const speakers = new Set(messages.flatMap(({ role, name }) => (role === 'user' ? [fold(name ?? '')] : [])))
  return /^(?:the )?(?:user|me|i|speaker|self)$/i.test(about) || (speakers.size === 1 && speakers.has(fold(about)))
}

function refuse(path: string, why: string, cause?: unknown): InputError {
  return new InputError({ code: 'INVALID_ARGUMENT', message: `${path}: ${why}`, details: { path }, cause })
}

/**
 * Reads a file of JSON lines `{ id?, text | messages, facts, at? }`; see bench/README.md. Other fields of a line are passed over.
 * @throws InputError naming the line, and the field where it is one
 */
export function ruleSet(text: string): RuleSet {
  const turns: LabelledTurn[] = []
  for (const [i, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const path = `line ${i + 1}`
    let json: unknown
    try {
      json = JSON.parse(line)
    } catch (cause) {
      throw refuse(path, 'is no JSON.', cause)
    }
    const { id = path, text: said, messages, facts, at = day } = parseWith(lineSchema, json, path)
    const given = messages ?? [{ role: 'user' as const, content: said! }]
    turns.push({
      id,
      line: i + 1,
      messages: given.map((message) => ({ ...message, at: message.at ?? at })),
      facts: facts.map((label) => ({ ...label, about: isSpeaker(label.about, given) ? 'user' : label.about })),
    })
  }
  if (turns.length === 0) throw refuse('file', 'has no lines.')
  const named = turns.flatMap(({ facts }) => facts.flatMap(({ attribute }) => attribute ?? []))
  const unknownAttributes = [...new Set(named.filter((name) => attributesOf(name) === null))]
  return { turns, unknownAttributes }
}
