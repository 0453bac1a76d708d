import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { isHeldHere } from './held-files.ts'
import { foreignFile, newerFile } from './migrate.ts'
import { applicationId, schemaVersion } from './schema.ts'

const magic = 'SQLite format 3\u0000'
const headerBytes = 108

function readStart(path: string): Buffer | null {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(headerBytes)
    return buffer.subarray(0, readSync(file, buffer, 0, headerBytes, 0))
  } finally {
    closeSync(file)
  }
}

/**
 * Looks at a file's header without SQLite, which might write to a file merely by opening it (recovery, a checkpoint
 * at close). A file of ours has our mark from its first transaction on. Synchronous with the opening that follows, so
 * that no other connection of this process comes in between.
 * @throws SetupError for a file that is not ours or too new
 */
export function checkHeader(path: string): void {
  if (isHeldHere(path)) return
  const start = readStart(path)
  if (start === null || start.length === 0) return
  if (start.length < headerBytes || start.toString('latin1', 0, magic.length) !== magic) {
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
  const hidden = start[18] === 2 && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (application !== 0 || !empty || hidden) throw foreignFile(path, "is another program's database")
}
