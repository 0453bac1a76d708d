import { type BenchSet, isAnswerable } from './bench-set.ts'
import {
  bestSeparation,
  isStaleFirst,
  type Metrics,
  mean,
  measure,
  percentile,
  type Separation,
  separationAt,
} from './metrics.ts'
import { plainBm25 } from './plain-bm25.ts'
import type { Answer, SetRun } from './run-set.ts'

export interface CategoryMetrics extends Metrics {
  readonly category: string
  readonly questions: number
}

/** How well the questions of a run were answered by one way of ranking. */
export interface Quality {
  readonly all: CategoryMetrics
  /** In the order in which the file first names them. */
  readonly categories: readonly CategoryMetrics[]
  /** Questions about changed facts, and how many put an outdated turn above the newest one; null without such. */
  readonly stale: { readonly questions: number; readonly staleFirst: number } | null
}

export interface Summary {
  readonly set: string
  readonly conversations: number
  readonly records: number
  readonly unanswerable: number
  readonly quality: Quality
  readonly plain: Quality
  /** Best scores of unanswerable and of answerable questions under a threshold; null without unanswerable ones. */
  readonly abstain: { readonly given: Separation; readonly best: Separation } | null
  readonly recordsPerSecond: number
  readonly medianMilliseconds: number
  readonly p95Milliseconds: number
}

/** Facts that changed: questions of other categories may have outdated turns beside what they ask for. */
const changedCategory = 'knowledge-update'

type Ranking = (answer: Answer) => readonly string[]

function newestEvidence({ conversation, question }: Answer): string {
  const wanted = new Set(question.evidence)
  return conversation.turns.findLast(({ id }) => wanted.has(id))?.id ?? ''
}

function qualityOf(answers: readonly Answer[], rankedOf: Ranking): Quality {
  const rows = answers
    .filter(({ question }) => isAnswerable(question))
    .map((answer) => {
      const ranked = rankedOf(answer)
      return { answer, ranked, metrics: measure(ranked, answer.question.evidence) }
    })
  const of = (category: string, some: typeof rows): CategoryMetrics => ({
    category,
    questions: some.length,
    ...mean(some.map(({ metrics }) => metrics)),
  })
  const names = [...new Set(rows.map(({ answer }) => answer.question.category))]
  const changed = rows.filter(({ answer: { question } }) => question.category === changedCategory)
  return {
    all: of('all', rows),
    categories: names.map((name) =>
      of(
        name,
        rows.filter(({ answer }) => answer.question.category === name),
      ),
    ),
    stale:
      changed.length === 0
        ? null
        : {
            questions: changed.length,
            staleFirst: changed.filter(({ answer, ranked }) =>
              isStaleFirst(ranked, answer.question.stale, newestEvidence(answer)),
            ).length,
          },
  }
}

/** By conversation; made once, as it reads every text. */
function plainRanking(set: BenchSet): Ranking {
  const rankers = new Map(set.conversations.map((conversation) => [conversation, plainBm25(conversation.turns)]))
  return ({ conversation, question }) => rankers.get(conversation)!(question.text)
}

/** The figures of a run, with those of plain BM25 on the same questions. */
export function summarise(set: BenchSet, run: SetRun, threshold: number): Summary {
  const { answers, records, addMilliseconds } = run
  const bestScores = (answerable: boolean) =>
    answers.filter(({ question }) => isAnswerable(question) === answerable).map(({ bestScore }) => bestScore)
  const unanswerable = bestScores(false)
  const times = answers.map(({ milliseconds }) => milliseconds)
  return {
    set: set.name,
    conversations: set.conversations.length,
    records,
    unanswerable: unanswerable.length,
    quality: qualityOf(answers, ({ ranked }) => ranked),
    plain: qualityOf(answers, plainRanking(set)),
    abstain:
      unanswerable.length === 0
        ? null
        : {
            given: separationAt(threshold, unanswerable, bestScores(true)),
            best: bestSeparation(unanswerable, bestScores(true)),
          },
    recordsPerSecond: records / Math.max(1e-3, addMilliseconds / 1000),
    medianMilliseconds: percentile(times, 0.5),
    p95Milliseconds: percentile(times, 0.95),
  }
}
