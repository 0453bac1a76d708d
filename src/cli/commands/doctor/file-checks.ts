import { access, constants, open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { MnemeError } from '../../../errors/index.ts'
import { sqlite } from '../../../stores/sqlite/index.ts'
import { amount } from '../../output/amount.ts'
import { openWith, type Settings } from '../../settings.ts'
import { type Check, note, ok, problem } from './check.ts'

async function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}

/** The nearest folder on the way to the file that is there. */
export async function existingFolder(db: string): Promise<string> {
  for (let folder = dirname(resolve(db)); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => null)
    if (found?.isDirectory() || folder === dirname(folder)) return folder
  }
}

const magic = 'SQLite format 3\0'
/** Where SQLite keeps the version that a program gives its file, and the mark of the program. */
const offsets = { version: 60, program: 68 } as const
const headerBytes = 100

interface Header {
  readonly isDatabase: boolean
  /** Of a file with mneme's mark. */
  readonly schemaVersion?: number
}

async function headerOf(db: string): Promise<Header> {
  const file = await open(db, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)
    if (bytesRead < headerBytes || buffer.toString('latin1', 0, magic.length) !== magic) return { isDatabase: false }
    const isOurs = buffer.toString('latin1', offsets.program, offsets.program + 4) === 'mnem'
    return { isDatabase: true, ...(isOurs ? { schemaVersion: buffer.readUInt32BE(offsets.version) } : {}) }
  } finally {
    await file.close()
  }
}

const notOurs = 'not a mneme memory'
const leaveAlone = 'It was left as it is. Choose another path with --db or MNEME_DB.'

/** The file and its folder, from outside. Nothing is opened with SQLite and nothing is made. */
export async function checkFile(db: string): Promise<Check[]> {
  const folder = await existingFolder(db)
  const writable = await may(folder, constants.W_OK | constants.X_OK)
  const advice = `Give yourself write permission on ${folder}, or choose another place with --db or MNEME_DB.`
  const found = await stat(db).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (found === null) {
    if (writable) return [note('file', 'not there yet; the first use makes it'), ok('folder', `${folder} is writable`)]
    return [problem('folder', `the file is not there, and nothing can be made in ${folder}`, advice)]
  }
  if (!found.isFile()) return [problem('file', 'is not a file', 'Choose another path with --db or MNEME_DB.')]
  if (!(await may(db, constants.R_OK))) {
    return [
      problem('file', "can't be read: permission is missing", `Give yourself read and write permission on ${db}.`),
    ]
  }
  if (found.size === 0) return [note('file', 'empty; the first use makes it a memory')]
  const { isDatabase, schemaVersion } = await headerOf(db)
  if (!isDatabase) {
    return [problem('file', `${notOurs}: ${db} is no database, or its first page is damaged`, leaveAlone)]
  }
  const version = schemaVersion === undefined ? '' : `, schema version ${schemaVersion}`
  const size = `${(found.size / 1e6).toFixed(1)} MB${version}`
  const folderCheck = writable
    ? ok('folder', `${folder} is writable`)
    : problem('folder', `SQLite needs to write beside the file, and ${folder} is not writable`, advice)
  if (await may(db, constants.W_OK)) return [ok('file', `${size}, readable and writable`), folderCheck]
  return [
    ok('file', `${size}, readable`),
    problem(
      'permission',
      'the file is read-only: searching works, remembering does not',
      `Give yourself write permission on ${db}.`,
    ),
    folderCheck,
  ]
}

const patience = 2000

/** Takes the write lock for a moment, changing nothing. */
async function checkLock(db: string, signal: AbortSignal): Promise<Check> {
  const store = sqlite({ path: db, busyTimeoutMs: patience })
  await store.open({ signal })
  try {
    await store.derive([], [], { signal })
    return ok('lock', 'no other process holds it up')
  } catch (error) {
    if (!MnemeError.is(error, 'BACKEND_TIMEOUT')) throw error
    const advice = 'Find the process that writes to it, and wait for it or stop it.'
    return problem('lock', `another process has been writing for more than ${patience / 1000} seconds`, advice)
  } finally {
    await store.close()
  }
}

const advices: Readonly<Record<string, string>> = {
  EMBEDDER_CHANGED: 'Use --no-embedder, or export and import the memory into a new file.',
  CONTRACT_MISMATCH: 'Update mneme.',
  BACKEND_FAILED:
    'The file may be damaged. Export what can be read (mneme export --all-scopes), or take your last backup.',
}

/** What is in the file; `deep` compares every record with every index. */
export async function checkContents(
  db: string,
  settings: Settings,
  deep: boolean,
  signal: AbortSignal,
): Promise<Check[]> {
  const checks: Check[] = []
  try {
    if (await may(db, constants.W_OK)) checks.push(await checkLock(db, signal))
    const memory = await openWith(settings)
    try {
      const { total, pending } = await memory.stats({ allScopes: true, signal })
      checks.push(ok('contents', `a memory of mneme with ${amount(total, 'record')}`))
      if (pending > 0) {
        checks.push(
          note(
            'vectors',
            `${amount(pending, 'record')} without a vector yet; text search finds them, mneme rebuild makes it`,
          ),
        )
      }
      if (deep) {
        const { ok: sound, problems, checked } = await memory.verify({ signal })
        const advice = 'mneme rebuild makes indexes anew; for damaged contents take your last backup.'
        const found = problems.map(({ code, id, message }) =>
          problem('verify', `${code}: ${message}${id ? ` (${id})` : ''}`, advice),
        )
        checks.push(...(sound ? [ok('verify', `every index agrees with ${amount(checked, 'record')}`)] : found))
      } else {
        checks.push(note('verify', 'records and indexes were not compared; --deep does'))
      }
    } finally {
      await memory.close()
    }
  } catch (error) {
    if (!MnemeError.is(error)) throw error
    checks.push(
      error.code === 'BAD_CONFIG' && (await headerOf(db)).schemaVersion === undefined
        ? problem('contents', `${notOurs}: ${db} is another program's database`, leaveAlone)
        : problem('contents', `${error.code}: ${error.message}`, advices[error.code]),
    )
  }
  return checks
}
