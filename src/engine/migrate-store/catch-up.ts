import type {
  Derivation,
  LoggedChange,
  MemoryStore,
  OperationOptions,
  StoredRecord,
  Touch,
} from '../../contract/index.ts'
import { allScopes, equalJson } from '../../model/index.ts'
import { logPages } from './read-log.ts'

/** Ids that a page of the log puts, each once. */
export function idsPut(entries: Parameters<typeof changesOf>[0]): string[] {
  return [
    ...new Set(changesOf(entries).flatMap((change) => (change.type === 'put' && change.stored ? [change.id] : []))),
  ]
}

function changesOf(entries: readonly { readonly changes: readonly LoggedChange[] }[]): LoggedChange[] {
  return entries.flatMap(({ changes }) => changes)
}

function sameVector(one: StoredRecord['vector'], other: StoredRecord['vector']): boolean {
  if (one === null || other === null) return one === other
  const { values } = other
  return one.space === other.space && one.values.length === values.length && one.values.every((x, i) => x === values[i])
}

/**
 * Brings what came to the source's present records beside the log: access counts, late vectors, renewed analyses. May be
 * done any number of times.
 */
export async function catchUp(from: MemoryStore, to: MemoryStore, call: OperationOptions): Promise<void> {
  const all = allScopes()
  for await (const entries of logPages(from, null, call)) {
    const ids = idsPut(entries)
    if (ids.length === 0) continue
    const [sources, targets] = await Promise.all([from.get(all, ids, call), to.get(all, ids, call)])
    const derivations: Derivation[] = []
    const touched: Touch[] = []
    ids.forEach((id, i) => {
      const [source, target] = [sources[i] ?? null, targets[i] ?? null]
      if (source === null || target?.record.version !== source.record.version) return
      const { record, vector, analysis } = source
      const { version, accessCount, lastAccessedAt } = record
      const late = vector !== null && !sameVector(vector, target.vector)
      const renewed = !equalJson(analysis, target.analysis)
      if (late || renewed) {
        derivations.push({ id, version, ...(late ? { vector } : {}), ...(renewed ? { analysis } : {}) })
      }
      if (lastAccessedAt !== undefined && accessCount > target.record.accessCount) {
        touched.push({ id, at: Date.parse(lastAccessedAt), count: accessCount })
      }
    })
    if (derivations.length + touched.length > 0) await to.derive(derivations, touched, call)
  }
}
