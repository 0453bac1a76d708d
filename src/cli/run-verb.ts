import { errorTraits } from '../errors/index.ts'
import type { Change } from '../model/index.ts'
import { writeExport } from './commands/export.ts'
import { hasField } from './input/option-specs.ts'
import { systemUser } from './input/scope.ts'
import type { CliIo } from './io.ts'
import { note, type Output, printAnswer } from './output/answer.ts'
import { drawLines } from './output/lines.ts'
import { startProgress } from './output/progress.ts'
import { changeLine, renderAnswer } from './output/renderers.ts'
import { safeJson } from './output/visible.ts'
import { openWith, type Settings } from './settings.ts'
import type { Invocation } from './verb-command.ts'

/** Without a scope these see to the whole store: the default user would only narrow them. */
const wholeStoreByDefault = new Set(['import', 'rebuild'])

/** The scope of a call: the one that was named, else that of the system's user, said aloud (CLI-4). */
async function scopeFor(invocation: Invocation, io: CliIo, output: Output): Promise<object> {
  const { verb, options, scope } = invocation
  if (scope !== undefined) return { scope }
  if (!hasField(verb, 'scope') || options.allScopes === true || wholeStoreByDefault.has(verb.name)) return {}
  const userId = systemUser(io)
  await note(output, `For user ${userId}, as the operating system has it; --user NAME says otherwise.`)
  return { scope: { userId } }
}

/** Answers that are no failure and still not what a script should take for success (CLI-3). */
function exitOf(verb: string, answer: unknown): number {
  if (verb === 'get' && answer === null) return errorTraits.RECORD_NOT_FOUND.exit
  const { ok, failed } = (answer ?? {}) as { ok?: unknown; failed?: unknown }
  if (verb === 'verify' && ok === false) return errorTraits.BAD_CONFIG.exit
  return verb === 'import' && failed !== 0 ? errorTraits.INVALID_RECORD.exit : 0
}

/** Changes as they come, each handed over at once. */
async function printChanges(changes: AsyncIterable<Change>, { mode, out, canvas }: Output): Promise<void> {
  for await (const change of changes) {
    await out.write(mode === 'text' ? drawLines([changeLine(change)], canvas) : `${safeJson(JSON.stringify(change))}\n`)
  }
}

/** Opens the memory, runs the verb, prints its answer and closes. @returns the exit code */
export async function runVerb(invocation: Invocation, settings: Settings, io: CliIo, output: Output): Promise<number> {
  const { verb, positional } = invocation
  const { to, ...given } = invocation.options
  const options = { ...given, ...(await scopeFor(invocation, io, output)), signal: io.signal }
  const memory = await openWith(settings)
  try {
    if (verb.name === 'export') return await writeExport(memory, options, to, io, output)
    if (verb.name === 'watch') {
      await printChanges(memory.watch(options), output)
      return 0
    }
    const progress = hasField(verb, 'onProgress') ? await startProgress(io, verb.name, 'records') : null
    const call = memory[verb.name as 'list'] as (...args: unknown[]) => Promise<unknown>
    const answer = await call(...positional, progress ? { ...options, onProgress: progress.update } : options).finally(
      () => progress?.stop(),
    )
    await printAnswer(output, answer, () => renderAnswer(verb.name, answer))
    return exitOf(verb.name, answer)
  } finally {
    await memory.close()
  }
}
