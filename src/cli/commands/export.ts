import { type FileHandle, open, rm } from 'node:fs/promises'
import { type ExportOptions, isRecordPiece, type MemoryEngine } from '../../engine/index.ts'
import { InputError } from '../../errors/index.ts'
import type { CliIo } from '../io.ts'
import { memories } from '../output/amount.ts'
import { type Output, printAnswer } from '../output/answer.ts'
import { good, wholeLine } from '../output/lines.ts'
import { startProgress } from '../output/progress.ts'
import { safeJson } from '../output/visible.ts'

/** Never over a file that is there: it may be the only copy of something. */
async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    const why = code === 'EEXIST' ? 'exists already' : `can't be written (${code})`
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `--to: ${path} ${why}. Nothing was written; choose another path.`,
      details: { option: '--to', path },
      cause,
    })
  }
}

async function writeFile(memory: MemoryEngine, options: ExportOptions, path: string, io: CliIo): Promise<number> {
  const file = await create(path)
  const progress = await startProgress(io, 'export', 'records')
  try {
    const { total } = await memory.stats({
      scope: options.scope,
      allScopes: options.allScopes,
      include: options.include,
    })
    let records = 0
    for await (const line of memory.export(options)) {
      await file.write(line)
      if (isRecordPiece(line)) progress.update(++records, Math.max(total, records))
    }
    await file.sync()
    return records
  } catch (error) {
    // Half a file is worth nothing: an import refuses it.
    await rm(path, { force: true })
    throw error
  } finally {
    progress.stop()
    await file.close()
  }
}

/** Writes the lines to stdout, or to a new file and says so. */
export async function writeExport(
  memory: MemoryEngine,
  options: ExportOptions,
  to: unknown,
  io: CliIo,
  output: Output,
): Promise<number> {
  if (typeof to === 'string') {
    const records = await writeFile(memory, options, to, io)
    await printAnswer(output, { path: to, records }, () => ({
      lines: [wholeLine(good('exported'), `  ${memories(records)} to ${to}`)],
    }))
    return 0
  }
  for await (const line of memory.export(options)) {
    await output.out.write(io.isTerminal.stdout ? safeJson(line) : line)
  }
  return 0
}
