import { statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { staticEn256 } from '../../../embedders/index.ts'
import { MnemeError } from '../../../errors/index.ts'
import { sqliteDrivers } from '../../../stores/sqlite/index.ts'
import { type Check, note, ok, problem } from './check.ts'
import { existingFolder } from './file-checks.ts'

const leastNode = [20, 19] as const

export async function checkNode(): Promise<Check[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const enough = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  const version = `${process.version} on ${process.platform} ${process.arch}`
  if (enough) return [ok('Node.js', version)]
  return [problem('Node.js', `${version} is too old`, `Install Node.js ${leastNode.join('.')} or later.`)]
}

export async function checkDrivers(): Promise<Check[]> {
  const reports = await sqliteDrivers()
  const usable = reports.filter(({ available }) => available)
  const checks = reports.map(({ name, available, sqliteVersion, safeWal, reason }): Check => {
    if (!available) return note('SQLite', `${name}: not here. ${reason ?? ''}`)
    if (safeWal) return ok('SQLite', `${name}: ${sqliteVersion}, safe with several processes`)
    return note('SQLite', `${name}: ${sqliteVersion} can lose commits in WAL mode, so it is used without`)
  })
  if (usable.length === 0) {
    return [
      ...checks,
      problem(
        'SQLite',
        'no library can be used',
        'Reinstall mneme with its dependencies, or use Node.js 22.13 or later.',
      ),
    ]
  }
  if (usable.some(({ safeWal }) => safeWal)) return checks
  const advice = 'Update Node.js, or install @photostructure/sqlite 1.2.1 or later: SQLite 3.51.3 mended it.'
  return [...checks, problem('SQLite', 'every library here has the fault in WAL mode: writes are slower', advice)]
}

/** Embeds a word, which reads and measures the data files. */
export async function checkEmbedder(): Promise<Check[]> {
  const embedder = staticEn256()
  try {
    const [vector] = await embedder.embed(['mneme'], { purpose: 'query' })
    const works = vector?.length === embedder.dimensions && vector.some((value) => value !== 0)
    if (works) return [ok('embedder', `${embedder.id}: data files complete, ${embedder.dimensions} dimensions`)]
    return [problem('embedder', `${embedder.id} gives no usable vector`, 'Reinstall mneme.')]
  } catch (error) {
    if (!MnemeError.is(error)) throw error
    return [problem('embedder', error.message, 'Reinstall mneme, or use --no-embedder to search by text alone.')]
  }
}

const optionalPackages = {
  'better-sqlite3': 'another SQLite library to pass to the sqlite store',
  '@huggingface/transformers': 'local embedding models, for the transformers() embedder',
  pg: 'PostgreSQL, for the postgres store',
  redis: 'Redis, for the hot tier of the tiered store',
  'neo4j-driver': 'Neo4j and other graphs that speak Bolt, for the bolt store',
}

export async function checkPackages(): Promise<Check[]> {
  const { resolve } = createRequire(import.meta.url)
  return Object.entries(optionalPackages).map(([name, purpose]) => {
    try {
      resolve(name)
      return ok('optional', `${name} is installed: ${purpose}`)
    } catch (error) {
      // Installed, but meant for import alone: its door is closed to require and there all the same.
      if ((error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
        return ok('optional', `${name} is installed: ${purpose}`)
      }
      return note('optional', `${name} is not installed. It is needed only for this: ${purpose}`)
    }
  })
}

/** Below this a write may fail any moment, bytes. */
const leastFree = 100e6

export async function checkDisk(db: string): Promise<Check[]> {
  const folder = await existingFolder(db)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const shown = free >= 1e9 ? `${(free / 1e9).toFixed(1)} GB` : `${(free / 1e6).toFixed(0)} MB`
  if (free >= leastFree) return [ok('disk', `${shown} free`)]
  return [problem('disk', `only ${shown} free where the memory is`, 'Make room, or move the file and say --db.')]
}
