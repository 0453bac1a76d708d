import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import { parseWith } from '../../model/index.ts'
import { monthNames } from '../../text/index.ts'
import type { BenchSet, Conversation, Question, Turn } from './bench-set.ts'

const turnSchema = z.looseObject({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
})
const questionSchema = z.looseObject({
  question: z.string(),
  category: z.int(),
  evidence: z.array(z.string()).default([]),
})
const fileSchema = z.array(
  z.looseObject({
    sample_id: z.string(),
    conversation: z.record(z.string(), z.unknown()),
    qa: z.array(questionSchema),
  }),
)

/** By the numbers of the file. 5 is adversarial: its evidence does not answer the question, so it is left out. */
const categories: Readonly<Record<number, string>> = {
  1: 'multi-hop',
  2: 'temporal',
  3: 'open-domain',
  4: 'single-hop',
}

const spoken = /^(\d{1,2}):(\d{2}) ([ap])m on (\d{1,2}) ([A-Z][a-z]+), (\d{4})$/

/**
 * The time of a LoCoMo session such as `1:56 pm on 8 May, 2023`, in UTC: the file names no zone.
 * @throws InputError INVALID_TIME
 */
export function locomoTime(text: string, path: string): string {
  const [, hour, minute, half, day, month, year] = spoken.exec(text.trim()) ?? []
  const index = monthNames.indexOf(month ?? '')
  const time = Date.UTC(Number(year), index, Number(day), (Number(hour) % 12) + (half === 'p' ? 12 : 0), Number(minute))
  if (index < 0 || Number.isNaN(time)) {
    throw new InputError({
      code: 'INVALID_TIME',
      message: `${path}: is no time such as "1:56 pm on 8 May, 2023".`,
      details: { path },
    })
  }
  return new Date(time).toISOString()
}

/** Sessions are named session_1, session_2 …; some have a time and no turns. */
function turnsOf(conversation: Readonly<Record<string, unknown>>, path: string): Turn[] {
  const numbers = Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
  return numbers.flatMap((session) => {
    const name = `session_${session}`
    const said = parseWith(z.array(turnSchema), conversation[name], `${path}.${name}`)
    const time = parseWith(z.string(), conversation[`${name}_date_time`], `${path}.${name}_date_time`)
    const at = locomoTime(time, `${path}.${name}_date_time`)
    return said.map((turn) => ({
      id: turn.dia_id,
      session,
      at,
      zone: 'UTC',
      role: 'user' as const,
      actor: turn.speaker,
      content: turn.blip_caption ? `${turn.text} ${turn.blip_caption}` : turn.text,
    }))
  })
}

/** Evidence is written in several ways: `D1:3`, `D8:6; D9:17`, with spaces or brackets around. */
function questionOf({ question, category, evidence }: z.infer<typeof questionSchema>): Question {
  const ids = evidence.flatMap((text) => text.match(/D\d+:\d+/g) ?? [])
  return { category: categories[category] ?? '', text: question, evidence: [...new Set(ids)], stale: [] }
}

/**
 * Reads the parsed JSON of a LoCoMo file: categories 1 to 4, questions that name evidence.
 * @throws InputError for another shape
 */
export function locomoSet(json: unknown): BenchSet {
  const samples = parseWith(fileSchema, json, 'file')
  const conversations = samples.map(
    (sample, i): Conversation => ({
      id: sample.sample_id,
      turns: turnsOf(sample.conversation, `file[${i}].conversation`),
      questions: sample.qa.map(questionOf).filter(({ category, evidence }) => category !== '' && evidence.length > 0),
    }),
  )
  return { name: 'locomo', conversations }
}
