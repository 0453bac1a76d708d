import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { MessageInput, PlanStep } from '../src/engine/index.ts'
import { scripted } from '../src/models/scripted/index.ts'
import { fold } from '../src/text/index.ts'
import { openLearning } from './fixtures/learning.ts'
import { recordedExtractions } from './fixtures/recorded-extractions.ts'

interface Label {
  readonly attribute: string
  readonly value: string
  readonly alternatives?: readonly string[]
  readonly about?: string
  readonly ended?: boolean
  readonly optional?: boolean
}

interface Row {
  readonly id: string
  readonly text?: string
  readonly messages?: readonly MessageInput[]
  readonly facts: readonly Label[]
}

const rows = readFileSync(new URL('../bench/data/rules-dev.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)
  .filter(({ id }) => Object.hasOwn(recordedExtractions, id))

const form = (about: string, attribute: string, value: string, ended: boolean) =>
  [about, attribute.split('.')[0], value, ended ? 'ended' : ''].map((part) => fold(part as string)).join(' | ')

/** What a step of a plan says, in the words of the labels; null for one that keeps a turn. */
function told({ after }: PlanStep): string | null {
  if (!after) return null
  const { key, data } = after
  if (key !== undefined) {
    const [about = '', ...attribute] = key.split('.')
    return form(about, attribute.join('.'), String(data), false)
  }
  if (typeof data !== 'object' || data === null) return null
  const { subject, attribute, value, ended } = data as Readonly<Record<string, string | boolean>>
  return form(String(subject), String(attribute), String(value), ended === true)
}

function forms({ attribute, value, alternatives = [], about = 'user', ended = false }: Label): string[] {
  return [value, ...alternatives].map((each) => form(about, attribute, each, ended))
}

it('[LRN-16] recorded answers of a good model: all that was said is learnt, and what was made up is refused', async () => {
  expect(rows.length).toBeGreaterThanOrEqual(60)
  const missed: string[] = []
  const wrong: string[] = []
  const refused: string[] = []
  let right = 0
  for (const { id, text, messages, facts } of rows) {
    const model = scripted([recordedExtractions[id] as string])
    const { memory } = await openLearning({ model })
    const { plan, degraded = [] } = await memory.learn(messages ?? [{ role: 'user', content: text as string }], {
      dryRun: true,
      mode: 'model',
    })
    if (degraded.length > 0) refused.push(id)
    const learnt = plan.steps.map(told).filter((one) => one !== null)
    const wanted = facts.map(forms)
    for (const one of wanted) {
      if (one.some((form) => learnt.includes(form))) right++
      else missed.push(`${id} ${one[0]}`)
    }
    for (const one of learnt) if (!wanted.some((forms) => forms.includes(one))) wrong.push(`${id} ${one}`)
  }
  expect(wrong).toEqual([])
  expect(missed).toEqual([])
  expect(right).toBeGreaterThanOrEqual(30)
  expect(refused).toEqual(['dev-463', 'dev-517'])
})
