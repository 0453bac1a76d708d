import { errorTraits, MnemeError } from '../../errors/index.ts'
import type { CliIo } from '../io.ts'
import { type Output, printAnswer, type Rendering } from '../output/answer.ts'
import { bad, bold, dim, good, type Line, line, wholeLine } from '../output/lines.ts'
import { displayWidth } from '../output/width.ts'
import { inMemory, type Settings } from '../settings.ts'
import { type Check, note, problem } from './doctor/check.ts'
import { checkContents, checkFile } from './doctor/file-checks.ts'
import { checkDisk, checkDrivers, checkEmbedder, checkNode, checkPackages } from './doctor/installation-checks.ts'
import { checkStore } from './doctor/store-checks.ts'

/** A check that fails itself has found something too. */
async function examine(name: string, check: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await check()
  } catch (error) {
    if (MnemeError.is(error)) return [problem(name, `${error.code}: ${error.message}`)]
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return [problem(name, `could not be checked: ${why}`)]
  }
}

const signs = { ok: good('✓'), note: dim('–'), problem: bad('✗') } as const

function render(checks: readonly Check[], db: string): Rendering {
  const width = Math.max(...checks.map(({ name }) => displayWidth(name)))
  const problems = checks.filter(({ status }) => status === 'problem').length
  const lines = checks.flatMap(({ name, status, message, advice }): Line[] => [
    wholeLine(signs[status], ` ${name.padEnd(width)}  `, message),
    ...(advice === undefined ? [] : [wholeLine(' '.repeat(width + 4), dim('→ '), advice)]),
  ])
  const verdict =
    problems === 0
      ? good('All is well.')
      : bad(problems === 1 ? 'One thing is wrong.' : `${problems} things are wrong.`)
  return { lines: [line(dim('memory '), bold(db)), ...lines, line(verdict)] }
}

/** The file, the disk it is on, and what is in it. */
async function checkPlace(db: string, settings: Settings, deep: boolean, signal: AbortSignal): Promise<Check[]> {
  const kept = db !== inMemory
  const file = kept ? await examine('file', () => checkFile(db)) : [note('file', 'nothing is kept in :memory:')]
  const checks = [...(await examine('disk', () => checkDisk(db))), ...file]
  // A file that is not there or can't be used has no contents to look at.
  if (file.some(({ name, status }) => name === 'file' && status === 'ok')) {
    checks.push(...(await examine('contents', () => checkContents(db, settings, deep, signal))))
  }
  return checks
}

/** Looks at the installation and the memory's file or store and says in plain words what is wrong and what to do (CLI-10). */
export async function runDoctor(settings: Settings, deep: boolean, io: CliIo, output: Output): Promise<number> {
  const { db, store } = settings
  const checks: Check[] = [
    ...(await examine('Node.js', checkNode)),
    ...(await examine('SQLite', checkDrivers)),
    ...(await examine('embedder', checkEmbedder)),
    ...(await examine('packages', checkPackages)),
  ]
  if (db === undefined) checks.push(...(await examine('store', () => checkStore(settings, io.signal))))
  else checks.push(...(await checkPlace(db, settings, deep, io.signal)))
  const ok = checks.every(({ status }) => status !== 'problem')
  const place = db === undefined ? { store: store.name } : { db }
  await printAnswer(output, { ok, ...place, checks }, () => render(checks, db ?? store.name))
  return ok ? 0 : errorTraits.BAD_CONFIG.exit
}
