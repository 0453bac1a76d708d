import type { ExplainResult, ExplainStage, SearchHit } from '../../engine/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bad, bold, dim, good, type Line, line, table, wholeLine } from './lines.ts'
import { why } from './why.ts'

const shownDigits = 3

/** Numbers that say something; what is 0 had no part in it. `-o json` has all of them. */
function speaking(numbers: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(numbers).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== 'number') return [[name, String(value)]]
    return Math.abs(value) < 0.5 * 10 ** -shownDigits ? [] : [[name, String(Number(value.toFixed(shownDigits)))]]
  })
}

/** A query that is the key of a memory finds it whatever its words are. */
function isKey(key: string | undefined, query: unknown): boolean {
  return key !== undefined && typeof query === 'string' && query.trim() === key
}

/** Why a hit is there: in words, then the numbers behind them. */
export function whyLines({ key, explanation }: SearchHit, { query }: Asked): Line[] {
  if (!explanation) return []
  const words = isKey(key, query) ? 'the question is its key' : why(explanation)
  const numbers = { relevance: explanation.relevance, ...explanation.factors, ...explanation.signals }
  const shown = speaking(numbers).map(([name, value]) => `${name} ${value}`)
  const { text, vectors, fusion } = explanation.ran
  const by = text === vectors ? `words and meaning by ${text}` : `words by ${text}, meaning by ${vectors}`
  return [
    wholeLine('      why: ', words),
    wholeLine('      ', dim(`${shown.join('  ')}  (${by}, brought together by ${fusion})`)),
  ]
}

type Numbers = ExplainResult['parts']

/** What each stage decided, as a sentence. */
const sentences: Readonly<Record<ExplainStage, (result: ExplainResult) => string>> = {
  scope: () => 'Not found: no memory of this scope has this id.',
  expired: () => 'Not found: it has expired.',
  status: ({ parts }) =>
    `Not found: it is ${parts.status}, and this search looks at others; --status any looks at all.`,
  filter: () => 'Not found: the kinds, tags, times or filter of this search leave it out.',
  text: () => 'Not found: it is not among the memories whose words come closest to the question.',
  vector: () => 'Not found: neither its words nor its meaning are among those that come closest to the question.',
  fusion: () =>
    'Not found: its words or its meaning were near enough to be looked at, but nothing of it was left to score.',
  threshold: ({ parts }) =>
    `Not found: its score of ${round(parts.score)} is below the least that was asked for, ${round(parts.minScore)}.`,
  limit: ({ rank, parts }) =>
    `Found, but it is number ${rank} and only ${parts.limit} ${parts.limit === 1 ? 'is' : 'are'} shown; -k ${rank} would show it.`,
  returned: ({ rank }) => `Found as number ${rank}.`,
}

function round(value: Numbers[string] | undefined): string {
  return typeof value === 'number' ? value.toFixed(2) : '?'
}

function isFound({ stage }: ExplainResult): boolean {
  return stage === 'returned' || stage === 'limit'
}

/** Which stage of a search decided about a memory: a sentence, why, then the numbers. */
export function explain(result: ExplainResult, asked: Asked): Rendering {
  const { id, stage, rank, score, parts } = result
  const record = asked.records.get(id)
  const found = isFound(result)
  const signals = parts as Readonly<Record<string, number>>
  const words = isKey(record?.key, asked.query)
    ? 'the question is its key'
    : why({ relevance: signals.relevance ?? 1, signals })
  const sentence = sentences[stage](result)
  const numbers = {
    ...(rank === undefined ? {} : { rank }),
    ...(score === undefined ? {} : { score }),
    ...parts,
  }
  return {
    lines: [
      wholeLine(stage === 'returned' ? good(sentence) : bad(sentence)),
      ...(found ? [wholeLine('why: ', words)] : []),
      line(bold(id), ...(record ? ['  ', record.content] : [])),
      ...table(speaking(numbers).map(([name, value]) => [dim(name), value])),
    ],
  }
}
