import { open, stat } from 'node:fs/promises'
import { foreignFile, newerFile } from './migrate.ts'
import { applicationId, schemaVersion } from './schema.ts'

const magic = 'SQLite format 3\u0000'

async function readStart(path: string): Promise<Buffer | null> {
  let file: Awaited<ReturnType<typeof open>>
  try {
    file = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(108), 0, 108, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function isNotEmpty(path: string): Promise<boolean> {
  try {
    return (await stat(path)).size > 0
  } catch {
    return false
  }
}

/**
 * Looks at a file's header without SQLite, which might write to a file merely by opening it (recovery, a checkpoint
 * at close). A file of ours has our mark from its first transaction on.
 * @throws SetupError for a file that is not ours or too new
 */
export async function checkHeader(path: string): Promise<void> {
  const start = await readStart(path)
  if (start === null || start.length === 0) return
  if (start.length < 108 || start.toString('latin1', 0, magic.length) !== magic) {
    throw foreignFile(path, 'is not a database, or its first page is damaged')
  }
  const application = start.readUInt32BE(68)
  const version = start.readUInt32BE(60)
  if (application === applicationId) {
    if (version > schemaVersion) throw newerFile(path, version)
    return
  }
  // Tables are rows of the first page: a leaf (13) without cells has none. WAL (2) may hide some.
  const empty = start[100] === 13 && start.readUInt16BE(103) === 0
  const hidden = start[18] === 2 && (await isNotEmpty(`${path}-wal`))
  if (application !== 0 || !empty || hidden) throw foreignFile(path, "is another program's database")
}
