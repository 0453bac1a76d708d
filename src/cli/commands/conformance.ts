import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type ConformanceResult,
  type ConformanceTarget,
  conformanceCases,
  runConformance,
} from '../../conformance/index.ts'
import type { MemoryStore } from '../../contract/index.ts'
import { errorTraits } from '../../errors/index.ts'
import { memory } from '../../stores/memory/index.ts'
import { sqlite } from '../../stores/sqlite/index.ts'
import { refuse } from '../input/option-values.ts'
import type { CliIo } from '../io.ts'
import { type Output, printAnswer, type Rendering } from '../output/answer.ts'
import { bad, bold, type Cell, dim, good, line, table } from '../output/lines.ts'
import { startProgress } from '../output/progress.ts'

function sqliteTarget(folder: string): ConformanceTarget {
  const paths = new WeakMap<MemoryStore, string>()
  let count = 0
  const over = (path: string) => {
    const store = sqlite({ path })
    paths.set(store, path)
    return store
  }
  return {
    name: 'sqlite',
    durable: true,
    create: () => over(join(folder, `${++count}.db`)),
    openSecond: (first) => over(paths.get(first) as string),
  }
}

/** A target as it is, or a function that makes a store. @throws InputError */
async function loadTarget(module: string): Promise<ConformanceTarget> {
  const url = pathToFileURL(resolve(module)).href
  const loaded = (await import(url).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw refuse('MODULE', `can't be loaded: ${why}`)
  })) as { default?: unknown }
  const made = loaded.default
  if (typeof made === 'function') return { name: module, create: made as () => MemoryStore }
  if (typeof made === 'object' && made !== null && 'create' in made) return made as ConformanceTarget
  throw refuse('MODULE', 'needs a default export: a function that makes a store, or a ConformanceTarget')
}

const marks: Readonly<Record<ConformanceResult['outcome'], Cell>> = {
  passed: good('✓'),
  failed: bad('✗'),
  gap: dim('~'),
  'not asked': dim('–'),
}

type Row = ConformanceResult & { readonly store: string }

function render(rows: readonly Row[]): Rendering {
  const stores = [...new Set(rows.map(({ store }) => store))]
  const lines = stores.flatMap((store) => {
    const own = rows.filter((row) => row.store === store)
    const count = (outcome: Row['outcome']) => own.filter((row) => row.outcome === outcome).length
    const counts = `${count('passed')} kept, ${count('failed')} broken, ${count('gap')} known gaps, ${count('not asked')} not asked`
    return [
      line(bold(store), `  ${counts}`),
      ...table(
        own.map(({ rule, title, outcome, reason }) => [
          marks[outcome],
          rule,
          reason === undefined ? title : `${title} (${reason})`,
        ]),
      ),
    ]
  })
  return { lines }
}

/** Runs the storage contract's suite and prints how each promise is kept. Exit 5 when one is broken. */
export async function runConformanceCommand(module: string | undefined, io: CliIo, output: Output): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-conformance-'))
  const progress = await startProgress(io, 'conformance', 'promises')
  const results: Row[] = []
  try {
    const targets =
      module === undefined ? [{ name: 'memory', create: memory }, sqliteTarget(folder)] : [await loadTarget(module)]
    for (const target of targets) {
      for await (const result of runConformance(target)) {
        io.signal.throwIfAborted()
        results.push({ store: target.name, ...result })
        progress.update(results.length, conformanceCases.length * targets.length)
      }
    }
  } finally {
    progress.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const ok = results.every(({ outcome }) => outcome !== 'failed')
  await printAnswer(output, { ok, results }, () => render(results))
  return ok ? 0 : errorTraits.CONTRACT_MISMATCH.exit
}
