import { createHash } from 'node:crypto'
import type { StoredRecord } from '../../contract/index.ts'
import { exactly } from '../../model/index.ts'
import type { Core } from '../core.ts'

const longest = 400

/** The id of the record that keeps a version of another one: `v1:` and that one's id. */
export function keptId(id: string, version: number): string {
  const base = id.length <= longest ? id : createHash('sha256').update(id).digest('base64url')
  return `v${version}:${base}`
}

/** The versions that edits of these records have kept: what deletes a record deletes them with it. */
export async function keptVersions(
  core: Core,
  records: readonly StoredRecord[],
  signal?: AbortSignal,
): Promise<StoredRecord[]> {
  const found: StoredRecord[] = []
  for (const { record } of records) {
    let next = record.supersedes
    for (let version = record.version - 1; next !== undefined && version > 0; ) {
      const [kept] = await core.store.get(exactly(record.scope), [next], { signal, bare: true })
      if (!kept || kept.record.id !== keptId(record.id, kept.record.version)) break
      found.push(kept)
      next = kept.record.supersedes
      version = kept.record.version - 1
    }
  }
  return found
}
