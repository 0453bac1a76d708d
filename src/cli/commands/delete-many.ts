import type { DeleteSelection, MemoryEngine } from '../../engine/index.ts'
import { refuse } from '../input/option-values.ts'
import { readAnswer } from '../input/stdin.ts'
import type { CliIo } from '../io.ts'
import { memories } from '../output/amount.ts'
import { note, type Output } from '../output/answer.ts'
import { drawLines, wholeLine } from '../output/lines.ts'

/** What only the command line asks before it deletes. */
export interface Caution {
  readonly all: boolean
  readonly yes: boolean
}

type Selection = Readonly<Record<string, unknown>>

const narrowing = ['filter', 'tags', 'kinds'] as const

/** The options as the engine wants them: `--all`, `--tags` and `--kinds` stand for a filter that lets everything through. @throws InputError */
export function selectionOf(options: Selection, { all }: Caution): Selection {
  const narrowed = narrowing.filter((name) => options[name] !== undefined)
  if (all && (options.ids !== undefined || narrowed.length > 0)) {
    throw refuse('--all', 'is everything in the scope, so --ids, --filter, --tags and --kinds contradict it')
  }
  if (options.ids !== undefined || options.filter !== undefined) return options
  if (!all && narrowed.length === 0) {
    throw refuse('delete-many', 'give --ids, --filter, --tags or --kinds, or --all for everything in the scope')
  }
  return { ...options, filter: {} }
}

/** Counts what would go and asks, on a terminal. @throws InputError where nobody can be asked and everything would go */
export async function mayDelete(
  memory: MemoryEngine,
  options: Selection,
  { all, yes }: Caution,
  io: CliIo,
  output: Output,
): Promise<boolean> {
  if (yes || options.dryRun === true) return true
  if (!io.isTerminal.stdin || !io.isTerminal.stderr) {
    if (all) throw refuse('--all', 'needs --yes where nobody can be asked')
    return true
  }
  const { idempotencyKey: _, ...asked } = options
  const { deleted } = await memory.deleteMany({ ...(asked as DeleteSelection), dryRun: true })
  if (deleted === 0) return true
  const question = `${memories(deleted)} will be deleted with ${deleted === 1 ? 'its' : 'their'} history, and nothing brings ${deleted === 1 ? 'it' : 'them'} back. Delete? [y/N] `
  await output.err.write(drawLines([wholeLine(question)], output.errCanvas).trimEnd())
  await output.err.write(' ')
  if (/^y(es)?$/i.test(await readAnswer(io))) return true
  await note(output, 'Nothing was deleted.')
  return false
}
