import type { MemoryEngine, ReadScopeOptions } from '../engine/index.ts'
import { errorTraits } from '../errors/index.ts'
import type { Change, Scope } from '../model/index.ts'
import { mayDelete, selectionOf } from './commands/delete-many.ts'
import { writeExport } from './commands/export.ts'
import { withFullIds } from './input/full-ids.ts'
import { inOptionNames } from './input/option-errors.ts'
import { hasField } from './input/option-specs.ts'
import { placeOf, systemUser } from './input/scope.ts'
import type { CliIo } from './io.ts'
import { lookFurther } from './look-further.ts'
import { note, type Output, printAnswer } from './output/answer.ts'
import { changeLine } from './output/history.ts'
import { drawLines } from './output/lines.ts'
import { startProgress } from './output/progress.ts'
import { renderAnswer } from './output/renderers.ts'
import { safeJson } from './output/visible.ts'
import { inMemory, isThere, noMemoryYet, openWith, type Settings } from './settings.ts'
import type { Invocation } from './verb-command.ts'

/** Without a scope these see to the whole store: the default user would only narrow them. */
const wholeStoreByDefault: Readonly<Record<string, object>> = {
  import: { allScopes: true },
  maintain: { allScopes: true },
  rebuild: {},
}
/** What brings something new makes the file for it; everything else needs one that is there. */
const mayMakeFile = new Set([
  'add',
  'addMany',
  'learn',
  'import',
  'apply',
  'entities.set',
  'episodes.record',
  'facts.set',
  'kv.put',
  'skills.learn',
  'skills.fromMarkdown',
  'skills.import',
  'tools.learn',
])

/** The scope of a call: the one that was named, else that of the system's user, said aloud (CLI-4). */
async function scopeFor(
  invocation: Invocation,
  io: CliIo,
  output: Output,
): Promise<{ readonly scope?: Scope; readonly allScopes?: boolean }> {
  const { verb, options, scope } = invocation
  if (scope !== undefined) return { scope }
  if (!hasField(verb, 'scope') || options.allScopes === true) return {}
  // A snapshot of another form names no scopes.
  const whole = options.format === 'apollia-1' ? undefined : wholeStoreByDefault[verb.name]
  if (whole) return whole
  const userId = systemUser(io)
  await note(output, `For user ${userId}, as the operating system has it; --user NAME says otherwise.`)
  return { scope: { userId } }
}

/** Where to open: a dry run without a file shows its plan and makes none either. @throws SetupError when there is nothing to look at */
async function settingsFor({ verb, options }: Invocation, settings: Settings): Promise<Settings> {
  if (await isThere(settings)) return settings
  if (!mayMakeFile.has(verb.name)) throw noMemoryYet(settings)
  return options.dryRun === true ? { ...settings, db: inMemory } : settings
}

/** What reads or writes several things and may fail with some. */
const fromFiles = new Set(['import', 'skills.import', 'skills.export'])

/** Answers that are no failure and still not what a script should take for success (CLI-3, CLI-22). */
function exitOf(verb: string, answer: unknown): number {
  const { ok, failed, deleted, status } = (answer ?? {}) as Readonly<Record<string, unknown>>
  const name = verb.split('.').at(-1)
  const isMissing =
    ((name === 'get' || name === 'entry' || name === 'toMarkdown') && answer === null) ||
    (name === 'history' && (answer as readonly unknown[]).length === 0) ||
    (name === 'delete' && deleted === 0)
  if (isMissing) return errorTraits.RECORD_NOT_FOUND.exit
  if ((verb === 'verify' || verb === 'verifyJournal') && ok === false) return errorTraits.BAD_CONFIG.exit
  if (verb === 'health' && status === 'down') return errorTraits.BACKEND_UNAVAILABLE.exit
  return fromFiles.has(verb) && failed !== 0 ? errorTraits.INVALID_RECORD.exit : 0
}

/** Changes as they come, each handed over at once. */
async function printChanges(changes: AsyncIterable<Change>, showScope: boolean, output: Output): Promise<void> {
  const { mode, out, canvas } = output
  for await (const change of changes) {
    await out.write(
      mode === 'text' ? drawLines([changeLine(change, showScope)], canvas) : `${safeJson(JSON.stringify(change))}\n`,
    )
  }
}

interface Prepared {
  readonly positional: readonly unknown[]
  readonly options: Readonly<Record<string, unknown>>
  /** The part of the options that says whose memories are seen. */
  readonly read: ReadScopeOptions
}

/** Arguments and options as the engine wants them. */
async function prepare(
  memory: MemoryEngine,
  { verb, positional }: Invocation,
  given: Readonly<Record<string, unknown>>,
): Promise<Prepared> {
  const { scope, allScopes, include, signal } = given as ReadScopeOptions
  const read = { scope, allScopes, include, signal }
  const full = (name: string, value: unknown) => withFullIds(memory, verb, name, value, read)
  return {
    positional: await Promise.all(verb.positional.map((name, i) => full(name, positional[i]))),
    options: given.ids === undefined ? given : { ...given, ids: await full('ids', given.ids) },
    read,
  }
}

/** The engine's method of a verb: `kv.put` is one of a group. */
function methodOf(memory: MemoryEngine, verb: string): (...args: unknown[]) => Promise<unknown> {
  return verb.split('.').reduce<unknown>((owner, name) => (owner as Record<string, unknown>)[name], memory) as never
}

async function callVerb(memory: MemoryEngine, { verb }: Invocation, { positional, options }: Prepared, io: CliIo) {
  const progress = hasField(verb, 'onProgress') ? await startProgress(io, verb.name, 'records') : null
  const call = methodOf(memory, verb.name)
  try {
    return await call(...positional, progress ? { ...options, onProgress: progress.update } : options)
  } finally {
    progress?.stop()
  }
}

/** What was typed of a budget, as the engine has it. */
function withBudget({ tokens, counter, ...others }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...others, ...(tokens === undefined && counter === undefined ? {} : { budget: { tokens, counter } }) }
}

async function carryOut(invocation: Invocation, settings: Settings, io: CliIo, output: Output): Promise<number> {
  const { verb } = invocation
  const { to, all, yes, ...others } = invocation.options
  const typed = verb.name === 'context' ? withBudget(others) : others
  const caution = { all: all === true, yes: yes === true }
  const selected = verb.name === 'deleteMany' ? selectionOf(typed, caution) : typed
  const opened = await settingsFor(invocation, settings)
  const given: Prepared['options'] = { ...selected, ...(await scopeFor(invocation, io, output)), signal: io.signal }
  const memory = await openWith(opened)
  try {
    if (verb.name === 'export') return await writeExport(memory, given, to, io, output)
    if (verb.name === 'watch') {
      await printChanges(memory.watch(given), given.allScopes === true, output)
      return 0
    }
    const prepared = await prepare(memory, invocation, given)
    const { options, read } = prepared
    if (verb.name === 'deleteMany' && !(await mayDelete(memory, options, caution, io, output))) return 0
    const answer = await callVerb(memory, invocation, prepared, io)
    const further = output.mode === 'text' ? await lookFurther(memory, verb.name, answer, read) : null
    await printAnswer(output, answer, () =>
      renderAnswer(verb.name, answer, {
        options,
        query: prepared.positional[verb.positional.indexOf('query')],
        place: placeOf(settings.typedPlace, invocation.scope),
        records: further?.records ?? new Map(),
        more: further?.more ?? false,
      }),
    )
    return exitOf(verb.name, answer)
  } finally {
    await memory.close()
  }
}

/** Opens the memory, runs the verb, prints its answer and closes. @returns the exit code */
export async function runVerb(invocation: Invocation, settings: Settings, io: CliIo, output: Output): Promise<number> {
  try {
    return await carryOut(invocation, settings, io, output)
  } catch (error) {
    throw inOptionNames(error, invocation)
  }
}
