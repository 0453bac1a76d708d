import { depths, recallAt } from './metrics.ts'
import type { CategoryMetrics, Quality, Summary } from './summarise.ts'

export interface ReportOptions {
  readonly store: string
  readonly together: boolean
  readonly mode: string
  /** Show plain BM25 beside it. */
  readonly baseline: boolean
}

const figure = (value: number) => value.toFixed(3)
const percent = (share: number) => `${Math.round(100 * share)} %`

function row(cells: readonly string[]): string {
  const [name = '', count = '', ...figures] = cells
  return [name.padEnd(24), count.padStart(4), ...figures.map((cell) => cell.padStart(6))].join(' ')
}

function table({ all, categories }: Quality): string[] {
  const line = ({ category, questions, recall, reciprocalRank }: CategoryMetrics) =>
    row([category, `${questions}`, ...recall.map(figure), figure(reciprocalRank)])
  return [row(['category', 'n', ...depths.map((depth) => `R@${depth}`), 'MRR']), ...categories.map(line), line(all)]
}

const staleLine = (name: string, { stale }: Quality) =>
  stale ? [`${name}: outdated above newest in ${stale.staleFirst} of ${stale.questions} questions about changes`] : []

function abstainLines({ abstain }: Summary): string[] {
  if (!abstain) return []
  const { given, best } = abstain
  const shares = (at: typeof given) =>
    `${percent(at.unanswerable)} of unanswerable and ${percent(at.answerable)} of answerable questions`
  return [
    `best score under ${given.threshold.toFixed(2)}: ${shares(given)}`,
    `best told apart at ${best.threshold.toFixed(2)}: ${shares(best)}`,
  ]
}

/** The figures as text, the line that sums them up last. */
export function textReport(summary: Summary, options: ReportOptions): string {
  const { quality, plain } = summary
  const where = options.together ? 'one store, a scope each' : 'a store each'
  const baseline = options.baseline ? ['', 'plain BM25', ...table(plain)] : []
  return [
    `${summary.set}: ${summary.conversations} conversations, ${summary.records} records, ` +
      `${quality.all.questions} questions with evidence, ${summary.unanswerable} without`,
    `${options.store}, ${where}, mode ${options.mode}`,
    '',
    ...table(quality),
    ...baseline,
    '',
    ...staleLine('mneme', quality),
    ...(options.baseline ? staleLine('plain BM25', plain) : []),
    ...abstainLines(summary),
    `R@10 ${figure(recallAt(quality.all, 10))}, R@1 ${figure(recallAt(quality.all, 1))}, ` +
      `MRR@10 ${figure(quality.all.reciprocalRank)}; ` +
      `${summary.medianMilliseconds.toFixed(1)} ms a question (p95 ${summary.p95Milliseconds.toFixed(1)}), ` +
      `${Math.round(summary.recordsPerSecond)} records/s added`,
    '',
  ].join('\n')
}

function plainObject({ category, questions, recall, reciprocalRank }: CategoryMetrics) {
  const recalls = depths.map((depth, i) => [`R@${depth}`, recall[i]])
  return { category, questions, ...Object.fromEntries(recalls), 'MRR@10': reciprocalRank }
}

const qualityObject = ({ all, categories, stale }: Quality) => ({
  all: plainObject(all),
  categories: categories.map(plainObject),
  stale,
})

/** The same as one line of JSON. */
export function jsonReport(summary: Summary, options: ReportOptions): string {
  const { quality, plain, ...rest } = summary
  const { baseline, ...run } = options
  return `${JSON.stringify({
    ...rest,
    ...run,
    quality: qualityObject(quality),
    ...(baseline ? { plain: qualityObject(plain) } : {}),
  })}\n`
}
