import { readFile } from 'node:fs/promises'
import { errorTraits, InputError, MnemeError } from '../../errors/index.ts'
import { assistantSet } from './assistant.ts'
import type { BenchOutput } from './bench-arguments.ts'
import type { BenchSet } from './bench-set.ts'
import { locomoSet } from './locomo.ts'
import { recallAt } from './metrics.ts'
import { type BenchOptions, parseOptions, usage } from './options.ts'
import { jsonReport, textReport } from './report.ts'
import { runRules } from './run-rules.ts'
import { runSet } from './run-set.ts'
import { runSkills } from './run-skills.ts'
import { shortfalls } from './shortfalls.ts'
import { summarise } from './summarise.ts'

/** What a command reads from and writes to. */
export interface BenchIo extends BenchOutput {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Progress is shown on a terminal only. */
  readonly isTerminal?: { readonly stderr: boolean } | undefined
}

const readers = { locomo: locomoSet, assistant: assistantSet } as const satisfies Record<
  BenchOptions['set'],
  (json: unknown) => BenchSet
>

async function readSet({ set, file }: BenchOptions): Promise<BenchSet> {
  let json: unknown
  try {
    json = JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `bench: the file can not be read as JSON. Give the path of a file of the set ${set}.`,
      cause,
    })
  }
  return readers[set](json)
}

async function run(args: readonly string[], io: BenchIo): Promise<number> {
  if (args[0] === 'skills') return runSkills(args.slice(1), io)
  if (args[0] === 'rules') return runRules(args.slice(1), io)
  const options = parseOptions(args)
  if (options === null) {
    io.stdout.write(usage)
    return 0
  }
  const set = await readSet(options)
  const done = await runSet(set, {
    store: options.store,
    together: options.together,
    mode: options.mode,
    limitQuestions: options['limit-questions'],
    onProgress: io.isTerminal?.stderr
      ? (conversations, total) => io.stderr.write(`${conversations} of ${total} conversations\n`)
      : undefined,
  })
  const summary = summarise(set, done, options.threshold)
  io.stdout.write((options.output === 'json' ? jsonReport : textReport)(summary, options))
  const { all } = summary.quality
  const short = shortfalls([
    { name: 'R@10', value: recallAt(all, 10), least: options['min-r10'] },
    { name: 'MRR@10', value: all.reciprocalRank, least: options['min-mrr'] },
  ])
  for (const line of short) io.stderr.write(`${line}\n`)
  return short.length === 0 ? 0 : 1
}

/**
 * Runs `mneme bench`: how well mneme finds what was said, with no model and no network.
 * @param args what follows `bench`
 * @returns the exit code: 1 when a bound that was given is not reached (BEN-5), else by the table of errors
 */
export async function runBench(args: readonly string[], io: BenchIo): Promise<number> {
  try {
    return await run(args, io)
  } catch (error) {
    if (!MnemeError.is(error)) throw error
    io.stderr.write(`${error.message}\n`)
    return errorTraits[error.code].exit
  }
}
